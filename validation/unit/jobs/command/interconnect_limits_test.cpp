// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate interconnect` with limits that the usual samples leave undecided.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "results/recompute/recompute.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/interconnect.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using results::rows_of;

/// Two nodes of one rank, of whose latency this percentile is limited by far, in so many seconds.
RecordedRun in_seconds(const std::string& budget, const std::string& percentile) {
    return {2,
            "validate interconnect --sizes 8 --part pairs --ranks-per-node 1 --accept pod.toml "
            "--budget " +
                budget,
            {{"pod.toml",
              "[[limit]]\nquantity = 'latency between nodes'\nsize = '8'\nlimit = 10\nunit = 's'\n"
              "statistic = '" +
                  percentile + "'\n"}}};
}

// Two directions share the probability of error: 437 samples for the first look at a p99, after the
// 24 that are usual; 368 would do for one.
TEST(InterconnectLimits, TheRestOfABudgetIsSpentOnAnUndecidedLimit) {
    const auto run = in_seconds("60", "p99");
    EXPECT_EQ(run.errors().find("warning: the limit"), std::string::npos) << run.errors();
    const auto rows = rows_of<results::AcceptanceRow>(run.record());
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].samples, 437.0) << run.output();
    EXPECT_EQ(rows[0].verdict, "pass");
    EXPECT_EQ(rows[0].confidence, 1.0 - 0.05 / 2);
    EXPECT_TRUE(run.record().verified()) << "expected samples and compared bytes grew with them";
    EXPECT_NE(run.output().find(fmt::format(": p99 of the shortest of 8 {:.4g} to {:.4g} s, limit "
                                            "10 s\n",
                                            rows[0].low, rows[0].high)),
              std::string::npos)
        << run.output();
    EXPECT_EQ(run.output().find("unknown"), std::string::npos) << run.output();
    EXPECT_EQ(run.output().find("To decide"), std::string::npos) << run.output();
    for (const auto& wrong : results::recompute(run.record()).wrong) {
        ADD_FAILURE() << in_words(wrong);
    }
}

// Each batch of further passes makes its connections anew; the tests began only once.
TEST(InterconnectLimits, TimesCountFromOneMomentInAllPasses) {
    const auto run = in_seconds("60", "p99");
    const auto rows = rows_of<results::PairSampleRow>(run.record());
    std::map<double, std::pair<double, double>> times;  // first and last of each pass
    for (const auto& row : rows) {
        auto& [first, last] = times.try_emplace(row.pass, row.at_s, row.at_s).first->second;
        first = std::min(first, row.at_s);
        last = std::max(last, row.at_s);
    }
    ASSERT_GT(times.size(), 24U) << run.output();
    double before_s = 0.0;
    for (const auto& [pass, first_last] : times) {
        EXPECT_GE(first_last.first, before_s) << "pass " << pass;
        before_s = first_last.second;
    }
}

TEST(InterconnectLimits, AfterABudgetThatIsTooSmallALargerOneIsNamed) {
    const auto run = in_seconds("0.02", "p99");
    EXPECT_EQ(run.code(), 7) << run.output();
    const auto rows = rows_of<results::AcceptanceRow>(run.record());
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].verdict, "inconclusive");
    EXPECT_EQ(rows[0].samples + rows[0].further, 437.0);
    EXPECT_NE(
        run.output().find(fmt::format(
            " s, limit 10 s: needs {} more samples: give a larger --budget", rows[0].further)),
        std::string::npos)
        << run.output();
    EXPECT_GE(run.printed("To decide the limits that need more samples: --budget"), 1.0)
        << run.output();
}

// Of a victim's two directions a p95 is first looked at by 86 samples: 0.95^86 < 0.05 / 4. The
// passes that open connections have numbers of their own, and no samples.
TEST(InterconnectLimits, LoadsOfTheNetworkAreMadeAgainAsWell) {
    const RecordedRun run(4,
                          "validate interconnect --sizes 8 --part congestion --ranks-per-node 1 "
                          "--accept pod.toml --budget 60",
                          {{"pod.toml",
                            "[[limit]]\nquantity = 'slowdown of a victim'\nsize = '8'\n"
                            "limit = 1e9\nunit = 'times'\nstatistic = 'p95'\n"}});
    const auto rows = rows_of<results::AcceptanceRow>(run.record());
    ASSERT_EQ(rows.size(), 1U) << run.errors();
    EXPECT_EQ(rows[0].samples, 86.0) << run.output();
    EXPECT_EQ(rows[0].verdict, "pass");
    EXPECT_TRUE(run.record().verified());
    std::set<double> passes;
    for (const auto& row : rows_of<results::CongestionSampleRow>(run.record())) {
        passes.insert(row.pass);
    }
    EXPECT_EQ(passes.size(), 86U);
    EXPECT_EQ(*passes.begin(), 1.0);
    EXPECT_EQ(*passes.rbegin(), 87.0);
    for (const auto& wrong : results::recompute(run.record()).wrong) {
        ADD_FAILURE() << in_words(wrong);
    }
}

TEST(InterconnectLimits, APercentileThatNoRunCanKeepIsSaidBefore) {
    const auto run = in_seconds("1", "p99.9");
    EXPECT_NE(run.errors().find("shardstone: warning: the limit on the p99.9 of 'latency between "
                                "nodes' may be broken, but cannot be kept: that takes at least "
                                "3688 samples of each pair or rank, and a run takes at most 1536"),
              std::string::npos)
        << run.errors();
    EXPECT_NE(
        run.output().find("by these samples probably needs more than the 1536 that a run takes "
                          "at most"),
        std::string::npos)
        << run.output();
}

}  // namespace
}  // namespace shardstone::validation
