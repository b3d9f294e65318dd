// SPDX-License-Identifier: BSD-3-Clause
// Derived figures of a record held against its samples, family by family.
#include "results/recompute/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/statistics.hpp"
#include "results/recompute/comparer.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

namespace {

std::vector<void (*)(const Record&, Recomputed&)>& registered_comparisons() {
    static std::vector<void (*)(const Record&, Recomputed&)> all;
    return all;
}

void compare_cell(const Table::Column& recorded, const Table::Column& again, std::size_t row,
                  RowComparer& compare) {
    if (recorded.texts.empty()) {
        compare.number(recorded.name.c_str(), recorded.numbers[row], again.numbers[row]);
    } else {
        compare.text(recorded.name.c_str(), recorded.texts[row], again.texts[row]);
    }
}

/// Only a run that ended early has this check, which never passes.
void compare_incomplete(const Record& record, Recomputed& found) {
    const auto incomplete = find_incomplete(record.verification);
    if (incomplete == record.verification.end() || !incomplete->passed) return;
    found.wrong.push_back({.table = "verification",
                           .column = incomplete->name,
                           .recorded_text = "passed",
                           .recomputed_text = incomplete->detail});
}

}  // namespace

ComparisonRegistration::ComparisonRegistration(void (*compare)(const Record&, Recomputed&)) {
    registered_comparisons().push_back(compare);
}

std::string in_words(const Mismatch& mismatch) {
    const std::string place = mismatch.row_name.empty()
                                  ? fmt::format("{}, {}", mismatch.table, mismatch.column)
                                  : fmt::format("table {}, row {} ({}), {}", mismatch.table,
                                                mismatch.row, mismatch.row_name, mismatch.column);
    if (!mismatch.must_be.empty()) {
        return fmt::format("{}: {}, but it must be {}", place, mismatch.recorded, mismatch.must_be);
    }
    if (!mismatch.recorded_text.empty() || !mismatch.recomputed_text.empty()) {
        return fmt::format("{}: '{}', but its samples give '{}'", place, mismatch.recorded_text,
                           mismatch.recomputed_text);
    }
    return fmt::format("{}: {}, but its samples give {}", place, mismatch.recorded,
                       mismatch.recomputed);
}

bool RowComparer::has(const char* column) const {
    if (!record_.has_table(table_)) return false;
    const auto& columns = record_.table(table_).columns;
    return std::ranges::find(columns, column, &Table::Column::name) != columns.end();
}

void RowComparer::number(const char* column, double recorded, double recomputed) {
    // Sums of thousands of samples in another order, and products of a few factors.
    constexpr double rounding = 1e-11;
    if (std::isnan(recorded) && (std::isnan(recomputed) || !has(column))) return;
    ++found_.figures;
    const double most = rounding * std::max(std::abs(recorded), std::abs(recomputed));
    const bool is_close = std::isfinite(most) && std::abs(recorded - recomputed) <= most;
    if (recorded == recomputed || is_close) return;
    found_.wrong.push_back({table_, row_, row_name_, column, recorded, recomputed});
}

void RowComparer::text(const char* column, const std::string& recorded,
                       const std::string& recomputed) {
    ++found_.figures;
    if (recorded == recomputed) return;
    found_.wrong.push_back({table_, row_, row_name_, column, 0.0, 0.0, recorded, recomputed});
}

void compare_tables(const Record& record, const Table& derived_again, Recomputed& found) {
    const std::string& name = derived_again.name;
    const std::size_t recorded = record.has_table(name) ? record.table(name).rows() : 0;
    if (recorded != derived_again.rows()) {
        RowComparer(record, found, name, 0, "all")
            .number("rows", static_cast<double>(recorded),
                    static_cast<double>(derived_again.rows()));
        return;
    }
    if (recorded == 0) return;
    for (std::size_t row = 0; row < recorded; ++row) {
        RowComparer compare(record, found, name, row, fmt::format("number {}", row + 1));
        for (const auto& column : derived_again.columns) {
            compare_cell(record.table(name).column(column.name), column, row, compare);
        }
    }
}

void RowComparer::interval(const char* low_column, double low, const char* high_column, double high,
                           std::span<const double> samples) {
    const auto found = median_interval(samples);
    number(low_column, low, found ? found->low : not_measured);
    number(high_column, high, found ? found->high : not_measured);
}

Recomputed recompute(const Record& record) {
    require_readable(record);
    Recomputed found;
    for (const auto compare :
         {compare_collectives, compare_noise_floor, compare_training, compare_kernels,
          compare_machine, compare_arithmetic, compare_pipeline, compare_overlap, compare_ranks,
          compare_topology, compare_incomplete}) {
        compare(record, found);
    }
    for (const auto compare : registered_comparisons()) compare(record, found);
    return found;
}

}  // namespace shardstone::results
