// SPDX-License-Identifier: BSD-3-Clause
// Studies and sites that cannot be meant: refused by file, key and value.
#include <gtest/gtest.h>

#include <array>

#include "jobs/submit/catalogue.hpp"
#include "jobs/submit/launch.hpp"
#include "jobs/submit/sbatch_options.hpp"
#include "jobs/submit/shell_words.hpp"
#include "validation/unit/jobs/submit/examples.hpp"
#include "validation/unit/jobs/submit/refused.hpp"

namespace shardstone::submit {
namespace {

struct Change {
    const char* what;
    const char* instead;
    const char* refusal;  ///< the beginning of the line
};

TEST(StudyFile, RefusesByKey) {
    constexpr std::array changes{
        Change{"command", "comand", "small.toml: command is missing: give it"},
        Change{"repetitions = 2", "repetitions = 0", "small.toml: stop.repetitions = 0: give a "},
        Change{"minutes = 7", "minutes = 7\nhours = 1", "small.toml: stop.hours = 1: unknown key"},
        Change{"[4, 8]", "[8, 4]",
               "small.toml: ranks = [8, 4]: give numbers of ranks, each larger"},
        Change{"[4, 8]", "[2, 2]",
               "small.toml: ranks = [2, 2]: give numbers of ranks, each larger than "
               "the one before, for example [8, 16, 32]"},
        Change{"[4, 8]", "[0]",
               "small.toml: ranks = [0]: give an array of whole numbers, 1 to 100"},
        Change{"[4, 8]", "[]", "small.toml: ranks = []: give numbers of ranks, each larger than"},
        Change{"about = \"a small study\"", "",
               "small.toml: about is missing: give a line on what"},
        Change{"[4, 8]", "[4, 8.5]", "small.toml: ranks = [4, 8.5]: give an array of w"},
        Change{"model =", "json =", "small.toml: fixed.json = 'nano': give nothing: 'shardstone s"},
        Change{
            "model =", "--model =", "small.toml: fixed.--model = 'nano': give the option's name"},
        Change{"\"nano\"", "[\"a\", \"b\"]", "small.toml: fixed.model = ['a', 'b']: give one v"},
        Change{"model =", "plan =", "small.toml: 'plan' is in [fixed] and in [vary]: leave it in"},
        Change{"command", "placement = \"random\"\ncommand",
               "small.toml: placement = 'random': give 'block' or 'cyclic'"},
        Change{"[vary]", "[vary", "small.toml: line 10: "},
        Change{"about", "abuot = 1\nabout", "small.toml: abuot = 1: unknown key, remove it (known"},
    };
    for (const Change& one : changes) {
        const auto said = refusal_of(
            [&] { parse_study(with(small_study, one.what, one.instead), "small.toml"); });
        EXPECT_TRUE(said.starts_with(one.refusal)) << said;
    }
    const auto twice = refusal_of([] {
        parse_study(std::string(small_study) + "[[case]]\nname = \"a\"\nmodel = \"tiny\"\n",
                    "s.toml");
    });
    EXPECT_EQ(twice,
              "s.toml: 'model' is in case 'a' and in [fixed] or [vary]: leave it in one of "
              "them");
}

TEST(StudyFile, NamesTheKeyThatStandsForAMissingOne) {
    constexpr std::array changes{
        Change{"command", "comand",
               "small.toml: command is missing: give it (is it what 'comand' stands for?)"},
        Change{"repetitions = 2", "repetition = 2",
               "small.toml: stop.repetitions is missing: give it (is it what 'stop.repetition' "},
        Change{"ranks = [4, 8]", "rank = [4, 8]",
               "small.toml: ranks is missing: give numbers of ranks, each larger than the one "
               "before, for example [8, 16, 32] (is it what 'rank' stands for?)"},
    };
    for (const Change& one : changes) {
        const auto said = refusal_of(
            [&] { parse_study(with(small_study, one.what, one.instead), "small.toml"); });
        EXPECT_TRUE(said.starts_with(one.refusal)) << said;
    }
    const auto gone =
        refusal_of([] { parse_study(with(small_study, "repetitions = 2", ""), "small.toml"); });
    EXPECT_EQ(gone, "small.toml: stop.repetitions is missing: give it");
}

TEST(SiteFile, RefusesByKey) {
    constexpr std::array changes{
        Change{"\"slurm\"", "\"pbs\"", "place.toml: scheduler = 'pbs': give one of: none, slurm"},
        Change{"\"srun\"", "\"mpirun\"", "place.toml: launcher = 'mpirun': give one of: srun, mpi"},
        Change{"\"core\"", "\"socket\"", "place.toml: binding = 'socket': give one of: core, numa"},
        Change{"\"slurm\"", "\"none\"", "place.toml: launcher = 'srun' needs scheduler = 'slurm'"},
        Change{"gpus_per_node = 4", "gpus_per_node = 6",
               "place.toml: gpus_per_node = 6: give a mu"},
        Change{"cores_per_node = 8", "cores_per_node = 2",
               "place.toml: cores_per_node = 2: give at"},
        Change{"ranks_per_node = 4", "ranks_per_node = -4",
               "place.toml: ranks_per_node = -4: give "},
        Change{"UCX_TLS", "\"UCX TLS\"",
               "place.toml: environment.UCX TLS = 'tcp,self': give the na"},
        Change{"steps = 3", "steps = [3, 4]",
               "place.toml: options.train.steps = [3, 4]: give one v"},
        Change{"steps = 3", "\"\" = 3", "place.toml: options.train. = 3: give the option's name w"},
        Change{"partition", "partion", "place.toml: partion = 'main': unknown key, remove it"},
    };
    for (const Change& one : changes) {
        const auto said =
            refusal_of([&] { parse_site(with(small_site, one.what, one.instead), "place.toml"); });
        EXPECT_TRUE(said.starts_with(one.refusal)) << said;
    }
}

// They would be accepted and do nothing.
TEST(SiteFile, WithoutSlurmItsKeysAreRefused) {
    const std::string here =
        "about = \"x\"\nscheduler = \"none\"\nlauncher = \"mpiexec\"\nbinding = \"core\"\n";
    EXPECT_EQ(parse_site(here + "exclusive = false\nnodes = 1\n", "here.toml").nodes, 1);
    for (const std::string line :
         {"partition = 'a'", "sbatch_options = ['a']", "cores_per_node = 4", "gpus_per_node = 4",
          "exclusive = true", "at_once = 2", "modules = ['a']", "client_prefix = ['a']",
          "client_host = 'a'"}) {
        EXPECT_EQ(refusal_of([&] { parse_site(here + line + "\n", "here.toml"); }),
                  "here.toml: " + line.substr(0, line.find(' ')) +
                      " means something with scheduler = 'slurm' only: remove it");
    }
}

TEST(SiteFile, BindingAndNicsReachTheLauncher) {
    const Plan plan = small_plan(small_study, with(with(small_site, "\"core\"", "\"numa\""), "[env",
                                                   "nics = [\"a:1\", \"b:1\"]\n[env"));
    EXPECT_EQ(
        shell_words(launch_words(plan.site, plan.points.back())),
        "srun --nodes=2 --ntasks=8 --ntasks-per-node=4 --cpus-per-task=2 --gres=gpu:4 "
        "--cpu-bind=ldoms --distribution=block:block --mpi=pmi2 bash -c 'nics=(a:1 b:1); export "
        "UCX_NET_DEVICES=${nics[SLURM_LOCALID % 2]}; exec \"$@\"' rank");
    const Plan here = small_plan(
        small_study,
        "about = \"x\"\nscheduler = \"none\"\nlauncher = \"mpiexec\"\nbinding = \"core\"\n");
    EXPECT_EQ(shell_words(launch_words(here.site, here.points.back())),
              "mpiexec -n 8 -bind-to core");
    const std::string dealt = with(small_study, "command", "placement = \"cyclic\"\ncommand");
    EXPECT_NE(array_script(small_plan(dealt), 8, {0}).find("--distribution=cyclic:block "),
              std::string::npos);
    const Plan hydra = small_plan(dealt, with(small_site, "\"srun\"", "\"mpiexec\""));
    EXPECT_EQ(shell_words(launch_words(hydra.site, hydra.points.back())),
              "mpiexec -n 8 -ppn 1 -bind-to core --mpi=pmi2");
}

TEST(SiteFile, LeavesToSubmitWhatItDecides) {
    using Case = std::pair<const char*, const char*>;
    for (const auto& [words, found] : {Case{"--job-name=other", "--job-name"},
                                       Case{"--job other", "--job"},
                                       Case{"-Jx", "-J"},
                                       Case{"--qos=x\t-a 0", "-a"},
                                       Case{"'--array=0-0'", "--array"},
                                       Case{"-t1", "-t"},
                                       Case{"--time=1", "--time"},
                                       Case{"-o x", "-o"},
                                       Case{"--open-mode=truncate", "--open-mode"},
                                       Case{"--error=x", "--error"},
                                       Case{"-d singleton", "-d"},
                                       Case{"-N2", "-N"},
                                       Case{"--nodes=2", "--nodes"},
                                       Case{"-n 2", "-n"},
                                       Case{"--ntasks-per-node=2", "--ntasks-per-node"},
                                       Case{"-c2", "-c"},
                                       Case{"--no-requeue", "--no-requeue"},
                                       Case{"-p x", "-p"},
                                       Case{"-M x", "-M"},
                                       Case{"--time-min=1", ""},
                                       Case{"--nodelist=n1 -w n2", ""},
                                       Case{"--nodefile=x", ""},
                                       Case{"--ntasks-per-core=1", ""},
                                       Case{"--comment=\"runs -n 2\"", ""},
                                       Case{"--gres-flags=x", ""},
                                       Case{"--gres=lustre", ""},
                                       Case{"--nice -- -", ""}}) {
        EXPECT_EQ(option_of_submit_in(words, false), found) << words;
    }
    EXPECT_EQ(option_of_submit_in("--gres=lustre", true), "--gres");
}

TEST(Catalogue, WhatIsShippedFitsTogether) {
    const auto studies = shipped_studies();
    ASSERT_GE(studies.size(), 5U);
    for (const Study& study : studies) {
        for (const Site& site : shipped_sites()) {
            EXPECT_EQ(expand_study(study, site).size() % study.ranks.size(), 0U);
        }
    }
    const auto no_study = refusal_of([] { find_study("scaling"); });
    EXPECT_TRUE(no_study.starts_with("there is no study 'scaling': name one of ")) << no_study;
    EXPECT_NE(no_study.find("scaling-strong, scaling-weak"), std::string::npos) << no_study;
    const auto no_site = refusal_of([] { find_site("remote"); });
    EXPECT_TRUE(no_site.starts_with("there is no site 'remote': name one of ")) << no_site;
    EXPECT_NE(no_site.find("local, slurm-gpu, virtual"), std::string::npos) << no_site;
}

}  // namespace
}  // namespace shardstone::submit
