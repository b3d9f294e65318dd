// SPDX-License-Identifier: BSD-3-Clause
// Of every table that can be compared: the figure, its interval and what names a row, by values
// that only the right column has.
#include <gtest/gtest.h>

#include "results/compare/comparable.hpp"
#include "results/schema/arithmetic.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

const ComparableTable& table_called(const std::string& name) {
    return *std::ranges::find(comparable_tables(), name, &ComparableTable::table);
}

template <class Row>
std::vector<MeasuredRow> measured(const std::vector<Row>& rows) {
    Record record = written_record("any", "left", 2);
    record.derived = {table_of<Row>(rows)};
    return table_called(Row::schema.name()).rows(record);
}

std::string name_of(const MeasuredRow& row) {
    std::string name;
    for (const RowKey& key : row.keys) name += key.name + "=" + key.value + " ";
    return name;
}

void expect_figure(const MeasuredRow& row, const std::string& name, double value, double low,
                   double high) {
    EXPECT_EQ(name_of(row), name);
    EXPECT_EQ(row.value, value) << name;
    EXPECT_EQ(row.low, low) << name;
    EXPECT_EQ(row.high, high) << name;
}

TEST(ComparableColumns, OfTrainings) {
    TrainingRow row;
    row.model = "nano";
    row.ranks = 2.0;
    row.tokens_per_s = 1000.0;
    row.tokens_per_s_low = 900.0;
    row.tokens_per_s_high = 1200.0;
    row.step_s = 0.5;
    row.step_s_low = 0.4;
    row.step_s_high = 0.6;
    expect_figure(measured<TrainingRow>({row}).at(0), "model=nano ranks=2 ", 1000.0, 900.0, 1200.0);
}

TEST(ComparableColumns, OfKernels) {
    KernelRow row;
    row.name = "matmul";
    row.size_of = "square";
    row.size = 512.0;
    row.time_s = 7e-6;
    row.time_low_s = 6e-6;
    row.time_high_s = 9e-6;
    row.best_s = 5e-6;
    expect_figure(measured<KernelRow>({row}).at(0), "name=matmul size_of=square size=512 ", 7e-6,
                  6e-6, 9e-6);
}

TEST(ComparableColumns, OfStepsOnOneCore) {
    ArithmeticRow row;
    row.ranks = 1.0;
    row.step_s = 0.5;
    row.step_low_s = 0.4;
    row.step_high_s = 0.6;
    row.forward_s = 0.1;
    expect_figure(measured<ArithmeticRow>({row}).at(0), "ranks=1 ", 0.5, 0.4, 0.6);
    EXPECT_EQ(table_called(ArithmeticRow::schema.name()).better, Better::lower);
}

TEST(ComparableColumns, OfPipelines) {
    UtilisationRow row;
    row.schedule = "1f1b";
    row.micro_batches = 8.0;
    row.measured = 0.8;
    row.measured_low = 0.79;
    row.measured_high = 0.815;
    row.replayed = 0.85;
    row.virtual_time = 0.86;
    row.formula = 0.88;
    expect_figure(measured<UtilisationRow>({row}).at(0), "schedule=1f1b micro_batches=8 ", 0.8,
                  0.79, 0.815);
    EXPECT_EQ(table_called(UtilisationRow::schema.name()).better, Better::higher);
}

TEST(ComparableColumns, OfOverlapAreFiveFiguresOfSpeed) {
    std::vector<OverlapRow> rows;
    for (const char* figure :
         {"overlapped_step_s", "apart_step_s", "overlapped_compute_s", "apart_compute_s",
          "overlapped_exposed_s", "apart_exposed_s", "exposed_ratio", "hidden_share"}) {
        OverlapRow& row = rows.emplace_back();
        row.figure = figure;
        row.median = 0.5;
        row.low = 0.4;
        row.high = 0.6;
    }
    const auto found = measured(rows);
    std::vector<std::string> names;
    for (const MeasuredRow& row : found) names.push_back(row.keys.at(0).value);
    EXPECT_EQ(names,
              (std::vector<std::string>{"overlapped_step_s", "apart_step_s", "overlapped_exposed_s",
                                        "apart_exposed_s", "exposed_ratio"}));
    expect_figure(found.at(1), "figure=apart_step_s ", 0.5, 0.4, 0.6);
}

/// Settings that only say which rows a record has.
TEST(ComparableScope, HoldsWhatOnlySelectsRows) {
    EXPECT_EQ(
        table_called("collectives").scope,
        (std::vector<std::string>{"smallest", "largest", "factor", "algorithms", "operations",
                                  "in_place", "noise_floor", "fail_on_outlier", "prediction"}));
    EXPECT_EQ(table_called(UtilisationRow::schema.name()).scope,
              (std::vector<std::string>{"schedules", "schedule", "micro_batches"}));
}

}  // namespace
}  // namespace shardstone::validation
