// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone validate interconnect` says before it measures: what it cannot decide.
#include <gtest/gtest.h>

#include "results/schema/soak.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

const std::string quick = "validate interconnect --budget 1 --sizes 8,64K ";
constexpr const char* cannot_pass = "the verdict will be INCONCLUSIVE, or FAIL if a fault is found";

/// A limit on the rate between nodes.
RecordedRun limited(int ranks, const std::string& options) {
    return {ranks,
            quick + "--accept pod.toml " + options,
            {{"pod.toml",
              "[[limit]]\nquantity = 'rate between nodes'\nstatistic = 'median'\nsize = '64K'\n"
              "limit = 1\nunit = 'Mbit/s'\n"}}};
}

void expect_refused(const RecordedRun& run, const std::string& words) {
    EXPECT_EQ(run.code(), 2) << run.output();
    EXPECT_NE(run.errors().find(words), std::string::npos) << run.errors();
}

// As in a job of several nodes that was given one.
TEST(InterconnectForeseen, LimitsThatNothingMeasuresAreRefused) {
    const std::string limits = "--accept pod.toml limits 'rate between nodes', ";
    expect_refused(limited(2, ""), limits + "but all 2 ranks are on one node (");
    expect_refused(limited(2, ""), "): start it on 2 nodes or more");
    expect_refused(limited(0, ""), limits + "but there is one rank");
    expect_refused(limited(2, "--part ranks --ranks-per-node 1"),
                   limits + "which these tests do not measure: add pairs to --part");
}

TEST(InterconnectForeseen, OneRankIsInconclusive) {
    const RecordedRun run(0, quick);
    EXPECT_EQ(run.code(), 7) << run.errors();
    EXPECT_NE(run.errors().find(cannot_pass), std::string::npos) << run.errors();
    EXPECT_TRUE(
        run.output().starts_with("INCONCLUSIVE\n  - one rank has nobody to be compared with\n"))
        << run.output();
    const auto conditions = results::rows_of<results::ConditionsRow>(run.record());
    ASSERT_EQ(conditions.size(), 1u) << "nothing else was tested";
    EXPECT_EQ(conditions[0].part, "tests of ranks");
}

TEST(InterconnectForeseen, AVerdictThatCannotPassIsSaidBefore) {
    const std::string pairs = quick + "--part pairs --ranks-per-node 1";
    const RecordedRun two(2, pairs);
    EXPECT_NE(two.errors().find("shardstone: warning: two nodes have no others of their kind"),
              std::string::npos)
        << two.errors();
    EXPECT_NE(two.errors().find(cannot_pass), std::string::npos) << two.errors();
    EXPECT_EQ(RecordedRun(3, pairs).errors().find(cannot_pass), std::string::npos);
    const auto by_limit = limited(2, "--part pairs --ranks-per-node 1");
    EXPECT_EQ(by_limit.errors().find(cannot_pass), std::string::npos) << by_limit.errors();
}

TEST(InterconnectForeseen, DescriptionsThatWereNotMeasuredAreRefused) {
    expect_refused(RecordedRun(2, quick + "--cluster dgx-h100-rails"),
                   "--cluster dgx-h100-rails: it was not measured: its rates are assumed");
    expect_refused(RecordedRun(2, quick + "--cluster a.toml", {{"a.toml", clock_cluster}}),
                   "run shardstone calibrate on these ranks");
}

}  // namespace
}  // namespace shardstone::validation
