// SPDX-License-Identifier: BSD-3-Clause
// What the record of `shardstone collectives` says that `auto` went by, and what its costs were
// measured in.
#include <gtest/gtest.h>

#include <cmath>

#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// Of every row of `auto`: whether its reason names an earlier measurement, which then is the one
/// figure of the two that it has, or a schedule, and the reverse.
int rows_by_measurement(const results::Record& record) {
    const Rows points(record, "collectives");
    int by_measurement = 0;
    for (std::size_t row = 0; row < points.count(); ++row) {
        if (points.text(row, "algorithm") != "auto") {
            EXPECT_TRUE(std::isnan(points.number(row, "measured_before_s"))) << row;
            continue;
        }
        const std::string reason = points.text(row, "reason");
        const std::string choice = reason.substr(0, reason.find(';'));
        const bool measured = choice.find("measured before") != std::string::npos;
        EXPECT_NE(choice.find("by its schedule") != std::string::npos, measured) << reason;
        EXPECT_EQ(std::isnan(points.number(row, "predicted_s")), measured) << reason;
        EXPECT_EQ(std::isnan(points.number(row, "measured_before_s")), !measured) << reason;
        by_measurement += measured;
    }
    return by_measurement;
}

/// What a column of "cost_parameters" holds.
std::vector<double> cost_column(const results::Record& record, const char* column) {
    return record.table("cost_parameters").column(column).numbers;
}

TEST(AutoChoice, AnEarlierMeasurementIsNoPredictionAndSaysWhatItWasMeasuredIn) {
    const RecordedRun run(2, "collectives --algorithm auto,ring,mpi -b 64 -e 64K -f 32 -n 10 -w 1");
    ASSERT_EQ(run.code(), 0) << run.errors();
    // Calibration measures the likely ones: at some size one of them is chosen by that.
    EXPECT_GE(rows_by_measurement(run.record()), 1);
    EXPECT_EQ(run.record().version, results::format_version);
    for (const double tries : cost_column(run.record(), "tries")) {
        EXPECT_GE(tries, 1.0);
        EXPECT_LE(tries, 3.0);
    }
    const auto shares = cost_column(run.record(), "others_share");
    const auto disturbed = cost_column(run.record(), "disturbed");
    for (std::size_t row = 0; row < shares.size(); ++row) {
        if (std::isnan(disturbed[row])) continue;  // the system does not tell
        EXPECT_TRUE(shares[row] <= 0.05 || disturbed[row] == 1.0) << shares[row];
    }
    EXPECT_EQ(run.output().find("DISTURBED: 1 of 1 calibration") != std::string::npos,
              disturbed.at(0) == 1.0)
        << run.output();
}

TEST(AutoChoice, AScheduleIsAPredictionAndOfCostsThatAreGivenNothingIsKnown) {
    const RecordedRun run(
        2, "collectives --cluster clock.toml --algorithm auto,ring -b 64 -e 64 -n 10 -w 1",
        {{"clock.toml", clock_cluster}});
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(rows_by_measurement(run.record()), 0);
    for (const char* column : {"disturbed", "others_share", "tries"}) {
        for (const double value : cost_column(run.record(), column)) {
            EXPECT_TRUE(std::isnan(value)) << column;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
