// SPDX-License-Identifier: BSD-3-Clause
// Tables of a validated interconnect as they are compared: figure, interval, direction, and rows
// named by the places of ranks, by values that only the right column has.
#include <gtest/gtest.h>

#include "results/compare/comparable.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/traffic.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// Ranks 0 and 2 on host a, rank 1 on host b.
Record validated() {
    Record record = written_record("interconnect", "left", 3);
    const std::vector<RankPlaceRow> places{
        {0.0, 0.0, "a", -1.0, 1.0}, {1.0, 1.0, "b", -1.0, 1.0}, {2.0, 0.0, "a", -1.0, 1.0}};
    record.samples = {table_of(places)};
    PathRow path{"between nodes", 1.0, 6.0, 5e-6, 4e-6, 7e-6, 10.0, 9.0, 12.0};
    PairRow pair;
    pair.sender = 2.0;
    pair.receiver = 1.0;
    pair.path = "between nodes";
    pair.alone = 0.0;
    pair.size_bytes = 8.0;
    pair.time_s = 3e-6;
    pair.time_low_s = 2e-6;
    pair.time_high_s = 4.5e-6;
    pair.rate_gb_s = 77.0;
    const BisectionRow bisection{"first to second half", 1.0, 64.0, 7.0, 20.0, 19.0, 22.0, 33.0};
    const CongestionRow load{"all at once", 0.0, 1.0, 64.0, 9.0, 1e-6, 2e-6, 2.0, 1.9, 2.3};
    RankTestRow work;
    work.rank = 2.0;
    work.test = "memory";
    work.time_s = 0.25;
    work.factor = 1.5;
    const TrafficRow traffic{"dp", 4096.0, 5.0, 0.5, 0.4, 0.7, 9.0};
    record.derived = {table_of(std::vector{path}),      table_of(std::vector{pair}),
                      table_of(std::vector{bisection}), table_of(std::vector{load}),
                      table_of(std::vector{work}),      table_of(std::vector{traffic})};
    return record;
}

const ComparableTable& called(const std::string& name, const std::string& quantity) {
    for (const auto& table : comparable_tables()) {
        if (table.table == name && table.quantity == quantity) return table;
    }
    throw std::runtime_error("no table " + name + " of " + quantity);
}

std::string name_of(const MeasuredRow& row) {
    std::string name;
    for (const RowKey& key : row.keys) name += key.name + "=" + key.value + " ";
    return name;
}

struct Expected {
    const char *table, *quantity, *name;
    Better better;
    double value, low, high;
};

TEST(ComparableInterconnect, HoldsFigureIntervalAndDirection) {
    const Record record = validated();
    for (const Expected& one : std::vector<Expected>{
             {"paths", "alpha_s", "path=between nodes alone=1 ", Better::lower, 5e-6, 4e-6, 7e-6},
             {"paths", "rate_gb_s", "path=between nodes alone=1 ", Better::higher, 10.0, 9.0, 12.0},
             {"pairs", "time_s",
              "sender=a rank 1 receiver=b rank 0 path=between nodes alone=0 size_bytes=8 ",
              Better::lower, 3e-6, 2e-6, 4.5e-6},
             {"bisection", "rate_gb_s", "direction=first to second half size_bytes=64 ",
              Better::higher, 20.0, 19.0, 22.0},
             {"congestion", "slowdown",
              "load=all at once sender=a rank 0 receiver=b rank 0 size_bytes=64 ", Better::lower,
              2.0, 1.9, 2.3},
             {"traffic", "time_s", "traffic=dp size_bytes=4096 ", Better::lower, 0.5, 0.4, 0.7}}) {
        const auto& table = called(one.table, one.quantity);
        const auto rows = table.rows(record);
        ASSERT_EQ(rows.size(), 1U) << one.table;
        EXPECT_EQ(name_of(rows[0]), one.name);
        EXPECT_EQ(table.better, one.better) << one.table;
        EXPECT_EQ(rows[0].value, one.value) << one.table;
        EXPECT_EQ(rows[0].low, one.low) << one.table;
        EXPECT_EQ(rows[0].high, one.high) << one.table;
        EXPECT_FALSE(rows[0].disturbed) << one.table;
    }
    const auto work = called("rank_tests", "time_s").rows(record);
    EXPECT_EQ(name_of(work.at(0)), "rank=a rank 1 test=memory ");
    EXPECT_EQ(work[0].value, 0.25);
    EXPECT_EQ(called("rank_tests", "time_s").better, Better::lower);
}

TEST(ComparableInterconnect, IsDisturbedByThePartOfTheTests) {
    for (const std::string part : {"passes over pairs", "loads of the network", "tests of ranks"}) {
        Record record = validated();
        ConditionsRow conditions;
        conditions.part = part;
        conditions.disturbed = 1.0;
        record.samples.push_back(table_of(std::vector{conditions}));
        const auto is_disturbed = [&](const char* table, const char* quantity) {
            return called(table, quantity).rows(record).at(0).disturbed;
        };
        EXPECT_EQ(is_disturbed("paths", "alpha_s"), part == "passes over pairs");
        EXPECT_EQ(is_disturbed("paths", "rate_gb_s"), part == "passes over pairs");
        EXPECT_EQ(is_disturbed("pairs", "time_s"), part == "passes over pairs");
        EXPECT_EQ(is_disturbed("bisection", "rate_gb_s"), part == "loads of the network");
        EXPECT_EQ(is_disturbed("congestion", "slowdown"), part == "loads of the network");
        EXPECT_EQ(is_disturbed("rank_tests", "time_s"), part == "tests of ranks");
    }
}

TEST(ComparableInterconnect, WithoutPlacesIsRefused) {
    Record record = validated();
    record.samples.clear();
    EXPECT_THROW(called("pairs", "time_s").rows(record), Error);
    EXPECT_EQ(called("paths", "alpha_s").rows(record).size(), 1U) << "names no rank";
}

}  // namespace
}  // namespace shardstone::validation
