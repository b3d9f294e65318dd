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
            row.factor = rank < 2.0 ? 1.0 : size_bytes > 4.0 ? 1.5 : 1.25;
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
    row.timed = 1.0;
    row.excused = 0.0;
    row.rank = 1.0;
    row.still_s = 0.06;
    row.place = "rank 1 on node 0 (left)";
    row.machine = "stood still for 60.0 ms";
    return row;
}

TEST(ReportStalls, WhoStoodStillIsNamed) {
    OutlierRow excused;
    excused.excused = 1.0;
    excused.still_s = 1.0;
    OutlierRow outside = stopped();
    outside.timed = 0.0;
    outside.still_s = 0.05;
    const auto section =
        results::stalls_section(as_sources({with_ranks({excused, outside, stopped()})}));
    ASSERT_EQ(sentences_of(section),
              std::vector<std::string>{
                  "1 sample was stalled and 1 standstill outside of what was timed; at worst rank "
                  "1 on node 0 (left): stood still for 60.0 ms."});
    EXPECT_TRUE(holds(section->body, "<td>rank 1 on node 0 (left)</td>"));
    EXPECT_TRUE(holds(section->body,
                      "<td>1</td><td>0</td><td>1.00</td><td>1.00</td>"
                      "<td>1.00 us</td><td>110 ms</td>"))
        << section->body;
}

TEST(ReportStalls, EachRankHasItsFactor) {
    const auto section = results::stalls_section(as_sources({with_ranks({})}));
    EXPECT_TRUE(section->findings.empty());
    EXPECT_TRUE(holds(section->body, "<td>2</td><td>0</td><td>1.38</td><td>1.50</td>"))
        << section->body;
    EXPECT_TRUE(holds(section->body, "No sample was stalled in: a.h5."));
}

TEST(ReportStalls, OlderRecordsHaveNoSuchSection) {
    EXPECT_FALSE(results::stalls_section(as_sources({written_collectives()})));
}

}  // namespace
}  // namespace shardstone::validation
