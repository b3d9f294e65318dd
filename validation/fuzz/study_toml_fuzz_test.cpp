// SPDX-License-Identifier: BSD-3-Clause
// Hostile studies and sites: each is read and expanded, or refused in one line.
#include <gtest/gtest.h>

#include <filesystem>

#include "jobs/submit/script.hpp"
#include "validation/fuzz/copied_files.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::submit;

std::vector<std::string> corpus_of(const char* folder) {
    return with_copies_of(std::filesystem::path(SHARDSTONE_SOURCE_DIR) / "jobs" / folder,
                          {"", "about = 1", "ranks = [1e400]", "[vary]\na = []"});
}

/// What is accepted has points whose names are files, and scripts that name them.
void try_plan(const Study& study, const Site& site) {
    Plan plan{study, site, expand_study(study, site), "/bin/stone", "/runs", "01234567"};
    for (const Point& point : plan.points) {
        ASSERT_EQ(point.nodes * point.ranks_per_node, point.ranks);
        ASSERT_EQ(point.id.find_first_of("/ \n'\"$"), std::string::npos) << point.id;
    }
    const std::string script = array_script(plan, plan.points.front().ranks, {0});
    ASSERT_NE(script.find("point=" + plan.points.front().series + "\n"), std::string::npos);
}

template <class Try>
void fuzz(const char* folder, const Try& attempt) {
    Mutator mutator(corpus_of(folder), nasty_words(), 20'261'125);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        try_input([&] { attempt(text); }, counts);
    });
    expect_both(folder, counts, 100);
    EXPECT_GT(counts.refused, fuzz_inputs() / 4);
}

constexpr const char* plain_site =
    "about = \"x\"\nscheduler = \"none\"\nlauncher = \"mpiexec\"\n"
    "binding = \"none\"\n";
constexpr const char* plain_study =
    "about = \"x\"\ncommand = \"train\"\nranks = [1]\n[stop]\n"
    "repetitions = 1\nminutes = 1\n";

TEST(StudyTomlFuzz, MutatedStudiesAreExpandedOrRefused) {
    const Site site = parse_site(plain_site, "site.toml");
    fuzz("studies",
         [&](const std::string& text) { try_plan(parse_study(text, "fuzz.toml"), site); });
}

TEST(StudyTomlFuzz, MutatedSitesAreReadOrRefused) {
    const Study study = parse_study(plain_study, "study.toml");
    fuzz("sites", [&](const std::string& text) { try_plan(study, parse_site(text, "fuzz.toml")); });
}

}  // namespace
}  // namespace shardstone::validation
