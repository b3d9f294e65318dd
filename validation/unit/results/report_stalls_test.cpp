// SPDX-License-Identifier: BSD-3-Clause
// What the report says of ranks that stood still, and of how ranks compare.
#include <gtest/gtest.h>

#include "results/report/section.hpp"
#include "results/schema/stalls.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::OutlierRow;
using results::RankTimesRow;

bool holds(std::string text, const std::string& words) {
    const std::string look = " class=\"number\"";
    for (auto at = text.find(look); at != std::string::npos; at = text.find(look)) {
        text.erase(at, look.size());
    }
    return text.find(words) != std::string::npos;
}

/// Two points of a sweep on three ranks, the last of which is slower than the others.
results::Record with_ranks(const std::vector<OutlierRow>& outliers) {
    auto record = written_collectives();
    std::vector<RankTimesRow> times;
    for (const double size_bytes : {4.0, 1024.0}) {
        for (const double rank : {0.0, 1.0, 2.0}) {
            RankTimesRow& row = times.emplace_back();
            row.operation = "all_gather";
            row.algorithm = "ring";
            row.size_bytes = size_bytes;
            row.rank = rank;
            row.node = 0.0;
            row.own_s = rank < 2.0 ? 1e-3 : size_bytes > 4.0 ? 1.5e-3 : 1.25e-3;
            row.factor = 7.0;  // of what others it is, the report does not leave to the record
            row.late_s = 1e-6 * rank;
        }
    }
    record.derived.push_back(results::table_of(outliers));
    record.derived.push_back(results::table_of(times));
    return record;
}

OutlierRow stopped() {
    OutlierRow row;
    row.operation = "all_gather";
    row.algorithm = "ring";
    row.size_bytes = 4.0;
    row.in_place = 1.0;
    row.iteration = 594.0;
    row.timed = 1.0;
    row.excused = 0.0;
    row.kept = 1.0;
    row.time_s = 0.0612;
    row.usual_s = 1e-5;
    row.rank = 1.0;
    row.still_s = 0.06;
    row.place = "rank 1 on node 0 (left)";
    row.machine = "stalled for 60.0 ms";
    return row;
}

TEST(ReportStalls, WhoStoodStillIsNamed) {
    OutlierRow excused;
    excused.excused = 1.0;
    excused.still_s = 1.0;
    OutlierRow outside = stopped();
    outside.timed = 0.0;
    outside.iteration = outside.time_s = results::not_measured;
    outside.still_s = 0.05;
    // Stands behind no figure: neither the worst, nor in a rank's sum.
    OutlierRow again = outside;
    again.still_s = 0.25;
    again.kept = 0.0;
    const auto section =
        results::stalls_section(as_sources({with_ranks({excused, outside, again, stopped()})}));
    ASSERT_EQ(
        sentences_of(section),
        std::vector<std::string>{
            "Stalled: 1 sample, 1 stall outside the timed parts and 1 stall in repeated tries; at "
            "worst "
            "all_gather ring, 4 B, iteration 594: rank 1 on node 0 (left): 61.2 ms instead of "
            "10.0 us; stalled for 60.0 ms."});
    EXPECT_TRUE(holds(section->body,
                      "<td>1</td><td>0</td><td>0.844</td><td>0.889</td>"
                      "<td>1.00 us</td><td>110 ms</td>"))
        << section->body;
    // What names no rank, as the excused row, is none's.
    EXPECT_TRUE(holds(section->body,
                      "<td>0</td><td>0</td><td>0.844</td><td>0.889</td>"
                      "<td>0.000 us</td><td>0.000 us</td>"));
    // Six columns, and what happened in a line of its own: a column would squeeze the sentence.
    for (const char* row :
         {"<td>all_gather ring, 4 B, iteration 594</td><td>rank 1 on node 0 (left)</td><td>61.2 "
          "ms</td><td>10.0 us</td><td>60.0 ms</td><td>stalled</td></tr>\n<tr><td "
          "class=\"below\" colspan=\"6\"><div>stalled for 60.0 ms</div></td></tr>",
          "<td>all_gather ring, 4 B, outside the timed parts</td><td>rank 1 on node 0 "
          "(left)</td><td>-</td><td>10.0 us</td><td>50.0 ms</td><td>stalled</td>",
          "<td>250 ms</td><td>stalled, repeated</td>", "<td>1.00 s</td><td>excused</td>"}) {
        EXPECT_TRUE(holds(section->body, row)) << row << "\n" << section->body;
    }
    for (const char* word : {"Stalled for: the least time", "Usual: the median", "Excused: no rank",
                             "Repeated tries"}) {
        EXPECT_TRUE(holds(section->body, word)) << word;
    }
}

TEST(ReportStalls, KindsOfWhichThereIsNoneAreLeftOut) {
    const auto section = results::stalls_section(as_sources({with_ranks({stopped()})}));
    EXPECT_EQ(sentences_of(section).at(0).find("Stalled: 1 sample; at worst all_gather"), 0U)
        << sentences_of(section).at(0);
}

TEST(ReportStalls, EachRankHasItsFactor) {
    const auto section = results::stalls_section(as_sources({with_ranks({})}));
    EXPECT_TRUE(section->findings.empty());
    EXPECT_TRUE(holds(section->body, "<td>2</td><td>0</td><td>1.38</td><td>1.50</td>"))
        << section->body;
    EXPECT_TRUE(holds(section->body, "No sample was stalled in: a.h5."));
    EXPECT_FALSE(holds(section->body, "Not monitored"));
}

TEST(ReportStalls, OneOfTwoRanksMayTakeMoreThanTwiceAsLong) {
    auto record = with_ranks({});
    auto rows = results::rows_of<RankTimesRow>(record);
    rows.resize(2);
    rows[1].own_s = 8.0 * rows[0].own_s;
    record.derived.back() = results::table_of(rows);
    const auto section = results::stalls_section(as_sources({record}));
    EXPECT_TRUE(holds(section->body, "<td>1</td><td>0</td><td>8.00</td>")) << section->body;
    EXPECT_TRUE(holds(section->body, "<td>0</td><td>0</td><td>0.125</td>"));
    rows.resize(1);
    record.derived.back() = results::table_of(rows);
    EXPECT_FALSE(holds(results::stalls_section(as_sources({record}))->body, "its ranks"));
}

TEST(ReportStalls, WhatWasNotWatchedIsNotSaidToBeClean) {
    EXPECT_FALSE(results::stalls_section(as_sources({written_collectives()})));
    const auto section = results::stalls_section(
        as_sources({with_ranks({}), written_collectives(), written_kernels(0.8)}));
    EXPECT_TRUE(holds(section->body, "No sample was stalled in: a.h5."));
    EXPECT_TRUE(
        holds(section->body,
              "Not monitored for stalls (older records, or commands that time no ranks): b.h5 "
              "and c.h5."))
        << section->body;
}

}  // namespace
}  // namespace shardstone::validation
