// SPDX-License-Identifier: BSD-3-Clause
// Numbers among the samples of a record that no run could have measured.
#include "results/recompute/possible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardstone::results {

namespace {

const Table::Column* column_in(const Table& table, const std::string& name) {
    const auto found = std::ranges::find(table.columns, name, &Table::Column::name);
    return found == table.columns.end() ? nullptr : &*found;
}

std::string in_words(const PossibleNumbers& possible) {
    const std::string kind = possible.is_whole ? "a whole number" : "a finite number";
    if (std::isfinite(possible.end)) {
        return fmt::format("{} from {} to below {}", kind, possible.least, possible.end);
    }
    if (std::isinf(possible.least)) return kind;
    const bool is_above_zero = possible.least == std::numeric_limits<double>::denorm_min();
    return kind + (is_above_zero ? " above 0" : fmt::format(" from {}", possible.least));
}

bool is_possible(double number, const PossibleNumbers& possible) {
    return std::isfinite(number) && number >= possible.least && number < possible.end &&
           (!possible.is_whole || number == std::floor(number));
}

bool is_column_possible(const Table& table, const PossibleNumbers& possible, Recomputed& found) {
    const Table::Column* const column = column_in(table, possible.column);
    if (column == nullptr) return true;
    const Table::Column* const all = column_in(table, possible.part_of);
    const std::size_t before = found.wrong.size();
    for (std::size_t row = 0; row < column->numbers.size(); ++row) {
        const double number = column->numbers[row];
        std::string must_be;
        if (!is_possible(number, possible)) {
            must_be = in_words(possible);
        } else if (all != nullptr && number > all->numbers.at(row)) {
            must_be = fmt::format("at most its '{}', {}", all->name, all->numbers[row]);
        }
        if (must_be.empty()) continue;
        found.wrong.push_back({.table = table.name,
                               .row = row,
                               .row_name = fmt::format("number {}", row + 1),
                               .column = column->name,
                               .recorded = number,
                               .must_be = must_be});
    }
    return found.wrong.size() == before;
}

}  // namespace

PossibleNumbers counts(std::string table, std::string column) {
    return {std::move(table), std::move(column)};
}

PossibleNumbers indices(std::string table, std::string column, double end) {
    return {std::move(table), std::move(column), 0.0, end};
}

PossibleNumbers above_zero(std::string table, std::string column) {
    return {std::move(table), std::move(column), std::numeric_limits<double>::denorm_min(),
            std::numeric_limits<double>::infinity(), false};
}

PossibleNumbers finite(std::string table, std::string column) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {std::move(table), std::move(column), -infinity, infinity, false};
}

bool are_possible(const Record& record, std::span<const PossibleNumbers> columns,
                  Recomputed& found) {
    bool all = true;
    for (const PossibleNumbers& possible : columns) {
        if (!record.has_table(possible.table)) continue;
        all = is_column_possible(record.table(possible.table), possible, found) && all;
    }
    return all;
}

}  // namespace shardstone::results
