// SPDX-License-Identifier: BSD-3-Clause
// The tables in which records can be compared, one entry each: names of rows, figure, direction.
#include "results/compare/comparable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/base/error.hpp"
#include "results/compare/by_place.hpp"
#include "results/report/rows_table.hpp"
#include "results/schema/arithmetic.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/traffic.hpp"
#include "results/schema/training.hpp"

namespace shardstone::results {

namespace {

template <class Row>
using Member = std::variant<double Row::*, std::string Row::*>;

/// The columns of a table by the members of its row type.
template <class Row>
struct Columns {
    std::vector<Member<Row>> keys;
    double Row::*value;
    double Row::*low = nullptr;  ///< null if the runs have no interval
    double Row::*high = nullptr;
    bool (*counts)(const Row&) = [](const Row&) { return true; };  ///< other rows are left out
    std::string (*unit)(const Row&) = nullptr;                     ///< null: that of the column
};

template <class Row>
ColumnDescription column_of(const Member<Row>& member) {
    for (const Field<Row>& field : Row::schema.fields()) {
        if (field.member == member) return field.description();
    }
    fail("table '" + Row::schema.name() + "' has no such column");
}

template <class Row>
RowKey key_of(const Row& row, const Member<Row>& member) {
    const auto column = column_of<Row>(member);
    if (const auto* text = std::get_if<std::string Row::*>(&member)) {
        return {column.name, row.**text, row.**text};
    }
    const double number = row.*std::get<double Row::*>(member);
    const std::string shown = cell_text(column, number);
    return {column.name, fmt::format("{}", number),
            column.unit == "B" ? shown : column.name + " " + shown};
}

template <class Row>
MeasuredRow measured(const Row& row, const Columns<Row>& columns) {
    MeasuredRow found;
    for (const auto& key : columns.keys) found.keys.push_back(key_of(row, key));
    found.unit = columns.unit != nullptr ? columns.unit(row) : column_of<Row>(columns.value).unit;
    found.value = row.*columns.value;
    found.low = columns.low == nullptr ? not_measured : row.*columns.low;
    found.high = columns.high == nullptr ? not_measured : row.*columns.high;
    found.disturbed = is_disturbed(row);
    return found;
}

template <class Row>
ComparableTable comparable(Better better, const Columns<Row>& columns,
                           std::vector<std::string> scope = {},
                           std::vector<std::string> telling = {}) {
    const auto rows = [columns](const Record& record) {
        std::vector<MeasuredRow> found;
        for (const Row& row : rows_of<Row>(record)) {
            if (columns.counts(row)) found.push_back(measured(row, columns));
        }
        return found;
    };
    return {Row::schema.name(), column_of<Row>(columns.value).name, better, rows, std::move(scope),
            std::move(telling)};
}

/// Of a study of overlap: times, and the ratio of the two modes. The others are parts of them, may
/// be 0, or are no measure of speed.
bool is_compared(const OverlapRow& row) {
    constexpr std::array figures{"overlapped_step_s", "apart_step_s", "overlapped_exposed_s",
                                 "apart_exposed_s", "exposed_ratio"};
    return std::ranges::find(figures, row.figure) != figures.end();
}

std::string unit_of_figure(const OverlapRow& row) {
    return row.figure.ends_with("_s") ? "s" : "1";
}

std::string unit_of_speed(const TrainingRow& /*row*/) {
    return "tokens/s";
}

std::string unit_of_rate(const MachineRow& row) {
    return row.unit;
}

ComparableTable sweeps() {
    using Row = CollectiveRow;
    return comparable<Row>(
        Better::lower,
        {.keys = {&Row::operation, &Row::algorithm, &Row::in_place, &Row::size_bytes, &Row::ranks},
         .value = &Row::time_s,
         .low = &Row::time_low_s,
         .high = &Row::time_high_s},
        {"smallest", "largest", "factor", "algorithms", "operations", "in_place", "noise_floor",
         "fail_on_outlier", "prediction"},
        {"type", "reduction", "ranks_per_node", "topology"});
}

/// Tokens per second, so that runs with other batches can be compared.
ComparableTable trainings() {
    using Row = TrainingRow;
    return comparable<Row>(Better::higher,
                           {.keys = {&Row::model, &Row::ranks},
                            .value = &Row::tokens_per_s,
                            .low = &Row::tokens_per_s_low,
                            .high = &Row::tokens_per_s_high,
                            .unit = unit_of_speed},
                           {},
                           {"plan", "precision", "schedule", "global_batch", "micro_batch",
                            "sequence", "recompute", "optimizer", "steps"});
}

ComparableTable steps_on_one_core() {
    using Row = ArithmeticRow;
    return comparable<Row>(Better::lower,
                           {.keys = {&Row::ranks},
                            .value = &Row::step_s,
                            .low = &Row::step_low_s,
                            .high = &Row::step_high_s},
                           {"warmup_iterations"}, {"model", "precision", "batch", "sequence"});
}

ComparableTable kernels() {
    using Row = KernelRow;
    return comparable<Row>(Better::lower,
                           {.keys = {&Row::name, &Row::size_of, &Row::size},
                            .value = &Row::time_s,
                            .low = &Row::time_low_s,
                            .high = &Row::time_high_s},
                           {"filter"});
}

/// The best of a few calls: their range is no interval.
ComparableTable machine_rates() {
    using Row = MachineRow;
    return comparable<Row>(
        Better::higher,
        {.keys = {&Row::quantity, &Row::unit}, .value = &Row::value, .unit = unit_of_rate},
        {"filter"});
}

ComparableTable overlaps() {
    using Row = OverlapRow;
    return comparable<Row>(Better::lower,
                           {.keys = {&Row::figure},
                            .value = &Row::median,
                            .low = &Row::low,
                            .high = &Row::high,
                            .counts = is_compared,
                            .unit = unit_of_figure},
                           {"warmup_rounds"}, {"model", "plan", "precision"});
}

ComparableTable pipelines() {
    using Row = UtilisationRow;
    return comparable<Row>(Better::higher,
                           {.keys = {&Row::schedule, &Row::micro_batches},
                            .value = &Row::measured,
                            .low = &Row::measured_low,
                            .high = &Row::measured_high},
                           {"schedules", "schedule", "micro_batches"},
                           {"model", "plan", "precision"});
}

/// Settings of a validated interconnect that change none of its times; of traffic a description of
/// the cluster does, by which algorithms are chosen.
std::vector<std::string> scope_of_traffic() {
    return {"parts", "alone", "budget_s", "accept", "accept_file", "soak_s"};
}

std::vector<std::string> scope_of_tests() {
    auto scope = scope_of_traffic();
    scope.insert(scope.end(), {"cluster", "cluster_file"});
    return scope;
}

std::vector<std::string> telling_of_tests() {
    return {"rails", "ranks_per_node", "sizes_bytes"};
}

ComparableTable latencies_of_paths() {
    using Row = PathRow;
    return by_place(comparable<Row>(Better::lower,
                                    {.keys = {&Row::path, &Row::alone},
                                     .value = &Row::alpha_s,
                                     .low = &Row::alpha_low_s,
                                     .high = &Row::alpha_high_s},
                                    scope_of_tests(), telling_of_tests()),
                    "passes over pairs");
}

ComparableTable rates_of_paths() {
    using Row = PathRow;
    return by_place(comparable<Row>(Better::higher,
                                    {.keys = {&Row::path, &Row::alone},
                                     .value = &Row::rate_gb_s,
                                     .low = &Row::rate_low_gb_s,
                                     .high = &Row::rate_high_gb_s},
                                    scope_of_tests(), telling_of_tests()),
                    "passes over pairs");
}

ComparableTable pairs_of_ranks() {
    using Row = PairRow;
    return by_place(comparable<Row>(Better::lower,
                                    {.keys = {&Row::sender, &Row::receiver, &Row::path, &Row::alone,
                                              &Row::size_bytes},
                                     .value = &Row::time_s,
                                     .low = &Row::time_low_s,
                                     .high = &Row::time_high_s},
                                    scope_of_tests(), telling_of_tests()),
                    "passes over pairs");
}

ComparableTable bisections() {
    using Row = BisectionRow;
    return by_place(comparable<Row>(Better::higher,
                                    {.keys = {&Row::direction, &Row::size_bytes},
                                     .value = &Row::rate_gb_s,
                                     .low = &Row::rate_low_gb_s,
                                     .high = &Row::rate_high_gb_s},
                                    scope_of_tests(), telling_of_tests()),
                    "loads of the network");
}

/// Beside the same pair alone, in the same run.
ComparableTable congestions() {
    using Row = CongestionRow;
    return by_place(
        comparable<Row>(Better::lower,
                        {.keys = {&Row::load, &Row::sender, &Row::receiver, &Row::size_bytes},
                         .value = &Row::slowdown,
                         .low = &Row::slowdown_low,
                         .high = &Row::slowdown_high},
                        scope_of_tests(), telling_of_tests()),
        "loads of the network");
}

/// Quartiles of a few turns: without an interval.
ComparableTable ranks_at_work() {
    using Row = RankTestRow;
    return by_place(
        comparable<Row>(Better::lower, {.keys = {&Row::rank, &Row::test}, .value = &Row::time_s},
                        scope_of_tests(), telling_of_tests()),
        "tests of ranks");
}

ComparableTable traffics() {
    using Row = TrafficRow;
    return comparable<Row>(Better::lower,
                           {.keys = {&Row::traffic, &Row::size_bytes},
                            .value = &Row::time_s,
                            .low = &Row::time_low_s,
                            .high = &Row::time_high_s},
                           scope_of_traffic(), telling_of_tests());
}

}  // namespace

const std::vector<ComparableTable>& comparable_tables() {
    static const std::vector<ComparableTable> tables{
        sweeps(),   trainings(),      steps_on_one_core(),  kernels(),        machine_rates(),
        overlaps(), pipelines(),      latencies_of_paths(), rates_of_paths(), bisections(),
        traffics(), pairs_of_ranks(), congestions(),        ranks_at_work()};
    return tables;
}

}  // namespace shardstone::results
