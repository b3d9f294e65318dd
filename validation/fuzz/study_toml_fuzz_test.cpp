// SPDX-License-Identifier: BSD-3-Clause
// Hostile studies and sites: each is read and expanded, or refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "jobs/submit/script.hpp"
#include "kernels/base/error.hpp"
#include "validation/fuzz/mutator.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::submit;

std::vector<std::string> corpus_of(const char* folder) {
    std::vector<std::string> texts{"", "about = 1", "ranks = [1e400]", "[vary]\na = []"};
    const auto path = std::filesystem::path(SHARDSTONE_SOURCE_DIR) / "jobs" / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        // Good texts are what mutations can hide in: most inputs start from one.
        for (int copy = 0; copy < 20; ++copy) texts.push_back(text.str());
    }
    std::ranges::sort(texts);
    return texts;
}

struct Counts {
    int accepted = 0, refused = 0;
};

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
void try_text(const std::string& text, Counts& counts, const Try& attempt) {
    try {
        attempt(text);
        ++counts.accepted;
    } catch (const Error& error) {
        ++counts.refused;
        ASSERT_TRUE(is_one_line(error.what())) << error.what();
    }
}

template <class Try>
void fuzz(const char* folder, const Try& attempt) {
    Mutator mutator(corpus_of(folder), nasty_words(), 20'261'125);
    Counts counts;
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        try_text(mutator.next(), counts, attempt);
        if (::testing::Test::HasFatalFailure()) return;
    }
    std::printf("%d inputs: %d read, %d refused\n", fuzz_inputs(), counts.accepted, counts.refused);
    // Neither alone would say much.
    EXPECT_GT(counts.accepted, fuzz_inputs() / 100);
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
