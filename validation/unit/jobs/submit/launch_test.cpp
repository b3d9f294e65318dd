// SPDX-License-Identifier: BSD-3-Clause
// What a point asks of its nodes where it fills them in part, and of launchers other than srun.
#include "jobs/submit/launch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "jobs/submit/folder.hpp"
#include "jobs/submit/shell_words.hpp"
#include "validation/unit/jobs/submit/examples.hpp"

namespace shardstone::submit {
namespace {

/// Two ranks on each of two nodes, which have room, cores and GPUs for four.
Plan spread_plan(const std::string& site = small_site) {
    return small_plan(with(with(small_study, "[4, 8]", "[4]"), "command",
                           "ranks_per_node = \"{ranks/2}\"\ncommand"),
                      site);
}

// A rank has the cores and GPUs that it would have on a full node.
TEST(Launch, OfPartlyFilledNodesAsksForWhatItsRanksUse) {
    const Plan plan = spread_plan();
    EXPECT_EQ(shell_words(resource_words(plan.site, plan.points[0])),
              "--nodes=2 --ntasks=4 --ntasks-per-node=2 --cpus-per-task=2 --gres=gpu:2");
    const std::string script = array_script(plan, 4, {0});
    EXPECT_NE(script.find("#SBATCH --gres=gpu:2\n"), std::string::npos) << script;
}

TEST(Launch, ByMpiexecDealsRanksToNodes) {
    const std::string hydra = with(small_site, "\"srun\"", "\"mpiexec\"");
    const Plan spread = spread_plan(hydra), full = small_plan(small_study, hydra);
    EXPECT_EQ(shell_words(launch_words(spread.site, spread.points[0])),
              "mpiexec -n 4 -ppn 2 -bind-to core --mpi=pmi2");
    EXPECT_EQ(shell_words(launch_words(full.site, full.points.back())),
              "mpiexec -n 8 -ppn 4 -bind-to core --mpi=pmi2");
}

TEST(Launch, ByMpiexecTakesNicsByItsOwnNumbers) {
    const std::string site = with(with(small_site, "\"srun\"", "\"mpiexec\""), "[env",
                                  "nics = [\"a:1\", \"b:1\"]\n[env");
    const Plan plan = small_plan(small_study, site);
    const auto words = shell_words(launch_words(plan.site, plan.points[0]));
    EXPECT_NE(words.find("UCX_NET_DEVICES=${nics[MPI_LOCALRANKID % 2]};"), std::string::npos)
        << words;
}

TEST(Script, HasTheOptionsOfTheSiteForSbatch) {
    const std::string site =
        with(small_site, "binding", "sbatch_options = [\"--qos=high\", \"-C fast\"]\nbinding");
    const Plan plan = small_plan(small_study, site);
    for (const std::string& text : {array_script(plan, 4, {0}), report_script(plan)}) {
        EXPECT_NE(text.find("#SBATCH --partition=main\n#SBATCH --qos=high\n#SBATCH -C fast\n"),
                  std::string::npos)
            << text;
    }
}

// Jobs are told apart by it: of the same study in two folders, or of two programs.
TEST(PlanKey, DependsOnFolderProgramStudyAndSite) {
    const auto key = [](const char* folder, const char* revision, const std::string& study,
                        const std::string& site) {
        Plan plan = small_plan(study, site);
        place_plan(plan, folder, revision);
        return plan.key;
    };
    const std::string other_study = with(small_study, "minutes = 7", "minutes = 8");
    const std::string other_site = with(small_site, "main", "short");
    const std::set<std::string> keys{key("/runs/a", "r1", small_study, small_site),
                                     key("/runs/b", "r1", small_study, small_site),
                                     key("/runs/a", "r2", small_study, small_site),
                                     key("/runs/a", "r1", other_study, small_site),
                                     key("/runs/a", "r1", small_study, other_site)};
    EXPECT_EQ(keys.size(), 5U);
    EXPECT_TRUE(keys.contains(key("/runs//a/", "r1", small_study, small_site)));
}

}  // namespace
}  // namespace shardstone::submit
