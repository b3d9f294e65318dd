// SPDX-License-Identifier: BSD-3-Clause
// What the report says of a soak and of how pairs were tested, of made-up validations.
#include <gtest/gtest.h>

#include "results/report/section.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/soak.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::EpisodeRow;
using results::PairRow;

/// Each of `ranks` ranks sends to the next one.
results::Record validated(int ranks) {
    auto record = written_record("interconnect", "left", ranks);
    std::vector<PairRow> pairs;
    for (int rank = 0; rank < ranks; ++rank) {
        PairRow& row = pairs.emplace_back();
        row.sender = rank;
        row.receiver = (rank + 1) % ranks;
        row.path = "between nodes";
        row.alone = 0.0;
        row.size_bytes = 65536.0;
        row.samples = 7.0;
        row.time_s = 1e-4;
        row.rate_gb_s = 0.65536;
        row.factor = 1.0;
    }
    record.derived = {results::table_of(std::vector{results::InterconnectVerdictRow{"pass", ""}}),
                      results::table_of(pairs)};
    return record;
}

std::string page_of(const results::Record& record) {
    const auto section = results::interconnect_section(as_sources({record}));
    return section ? section->body : "";
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

TEST(ReportInterconnect, FewRanksAreOnePairAtATime) {
    EXPECT_TRUE(holds(page_of(validated(4)), "64 KiB from row to column, pairs at once"));
    EXPECT_TRUE(holds(page_of(validated(3)), "64 KiB from row to column, one pair at a time"));
}

/// A window of 20 s, and an episode for each flag: whether it is held against the cluster.
std::string page_of_soak(const std::vector<double>& held) {
    auto record = validated(4);
    results::SoakWindowRow window;
    window.window = 0.0;
    window.passes = 5.0;
    window.slow = 2.0;
    window.begin_unix_s = 1795653690.25;
    window.end_unix_s = 1795653710.25;
    record.samples.push_back(results::table_of(std::vector{window}));
    std::vector<EpisodeRow> episodes;
    for (const double suspected : held) episodes.emplace_back().suspected = suspected;
    record.derived.push_back(results::table_of(episodes));
    return page_of(record);
}

TEST(ReportInterconnect, EpisodesSayHowManyAreHeldAgainstTheCluster) {
    const std::string soak =
        "soak: 20 s, 5 passes, 5 messages, 2 of them slow, 0 with wrong data, 0 standstills; ";
    const std::string slow = " in which something was slow, silent or wrong, ";
    EXPECT_TRUE(holds(page_of_soak({}), soak + "no link or rank was slow, silent or wrong"));
    EXPECT_TRUE(holds(page_of_soak({0.0, 0.0}),
                      soak + "2 episodes" + slow + "none held against the cluster"));
    EXPECT_TRUE(holds(page_of_soak({0.0, 1.0, 1.0}),
                      soak + "3 episodes" + slow + "2 held against the cluster"));
}

TEST(ReportInterconnect, NodesThatWereOnlyDeclaredAreCalledSo) {
    auto record = validated(4);
    EXPECT_FALSE(holds(page_of(record), "nodes declared"));
    record.configuration["topology"] = "4 nodes of 1 rank (declared)";
    EXPECT_TRUE(holds(page_of(record), ": pass; nodes declared (--ranks-per-node), not found"));
}

TEST(ReportInterconnect, WindowsBeginAtADate) {
    const std::string page = page_of_soak({});
    EXPECT_TRUE(holds(page, "2026-11-26T00:41:30.250Z")) << page;
    EXPECT_TRUE(holds(page, "begin (UTC)"));
    EXPECT_FALSE(holds(page, "e+09"));
}

}  // namespace
}  // namespace shardstone::validation
