// SPDX-License-Identifier: BSD-3-Clause
// The registry of table descriptions, against which records are checked on writing and reading.
#include "results/schema/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

std::vector<TableDescription>& descriptions() {
    static std::vector<TableDescription> all;
    return all;
}

void require_columns(const Table& table, const TableDescription& described) {
    for (const auto& column : table.columns) {
        require(std::ranges::find(described.columns, column.name, &ColumnDescription::name) !=
                    described.columns.end(),
                [&] {
                    return fmt::format(
                        "column '{}' of table '{}' is not described in "
                        "results/schema",
                        column.name, table.name);
                });
    }
    for (const auto& column : described.columns) {
        detail::described_column(table, column, format_version);
    }
}

void require_described(const std::vector<Table>& tables, Role role) {
    for (const Table& table : tables) {
        const auto* described = find_description(table.name);
        require(described != nullptr && described->role == role, [&] {
            return fmt::format("table '{}' is not described in results/schema as {}", table.name,
                               role == Role::samples ? "samples" : "a derived table");
        });
        require_columns(table, *described);
    }
}

}  // namespace

const std::vector<TableDescription>& described_tables() {
    return descriptions();
}

const TableDescription* find_description(const std::string& table) {
    const auto& all = descriptions();
    const auto found = std::ranges::find(all, table, &TableDescription::name);
    return found == all.end() ? nullptr : &*found;
}

void require_readable(const Record& record) {
    for (const auto* tables : {&record.derived, &record.samples}) {
        for (const Table& table : *tables) {
            const auto* described = find_description(table.name);
            if (described == nullptr) continue;
            for (const auto& column : described->columns) {
                detail::described_column(table, column, record.version);
            }
        }
    }
}

void require_described(const Record& record) {
    require_described(record.samples, Role::samples);
    require_described(record.derived, Role::derived);
}

namespace detail {

void add_description(TableDescription description) {
    auto& all = descriptions();
    const auto place = std::ranges::upper_bound(all, description.name, {}, &TableDescription::name);
    all.insert(place, std::move(description));
}

const Table::Column* described_column(const Table& table, const ColumnDescription& wanted,
                                      int version) {
    const auto found = std::ranges::find(table.columns, wanted.name, &Table::Column::name);
    if (found == table.columns.end()) {
        require(version < wanted.since || version < format_version, [&] {
            return fmt::format("table '{}' has no column '{}'", table.name, wanted.name);
        });
        return nullptr;
    }
    const std::size_t rows = wanted.is_text ? found->texts.size() : found->numbers.size();
    require(rows == table.rows(), [&] {
        return fmt::format("column '{}' of table '{}' does not hold {}", wanted.name, table.name,
                           wanted.is_text ? "texts" : "numbers");
    });
    return &*found;
}

}  // namespace detail

}  // namespace shardstone::results
