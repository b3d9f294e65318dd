// SPDX-License-Identifier: BSD-3-Clause
// Look-up of tables and columns in a record, and whether all its checks passed.
#include "results/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

const Table* find(const std::vector<Table>& tables, const std::string& name) {
    const auto found = std::ranges::find(tables, name, &Table::name);
    return found == tables.end() ? nullptr : &*found;
}

}  // namespace

std::size_t Table::rows() const {
    return columns.empty() ? 0 : columns.front().rows();
}

const Table::Column& Table::column(const std::string& wanted) const {
    const auto found = std::ranges::find(columns, wanted, &Column::name);
    require(found != columns.end(),
            [&] { return fmt::format("table '{}' has no column '{}'", name, wanted); });
    return *found;
}

bool Record::verified() const {
    return !verification.empty() && std::ranges::all_of(verification, &Check::passed);
}

const Table& Record::table(const std::string& name) const {
    if (const Table* in_derived = find(derived, name)) return *in_derived;
    const Table* in_samples = find(samples, name);
    require(in_samples != nullptr,
            [&] { return fmt::format("the '{}' record has no table '{}'", kind, name); });
    return *in_samples;
}

bool Record::has_table(const std::string& name) const {
    return find(derived, name) != nullptr || find(samples, name) != nullptr;
}

}  // namespace shardstone::results
