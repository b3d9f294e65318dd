// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

// The tables of a record. Each table has one row type, in a header of this folder, which
// measurements fill, readers of records get back, and tests compare: a column is defined in one
// place, with its unit and a sentence, which become attributes in the HDF5 file and part of the
// description of the format (results/schema/README.md, written by `shardstone show --format`).

/// A number that was not measured, or that a record of an older version lacks.
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// Whether a table holds measurements, sample by sample, or results derived from them.
enum class Role : std::uint8_t { samples, derived };

struct ColumnDescription {
    std::string name;     ///< "time_s": with its unit if it has one
    std::string unit;     ///< "s", "B", "GB/s", "FLOP/s"; "1" for counts and ratios; "" for texts
    std::string meaning;  ///< one sentence
    bool is_text = false;
    int since = 1;  ///< the version of the format that added it
};

struct TableDescription {
    std::string name;
    Role role = Role::derived;
    std::string meaning;
    std::vector<ColumnDescription> columns;
};

/// All tables that a record may hold, by name.
const std::vector<TableDescription>& described_tables();

/// Null if there is no table of this name.
const TableDescription* find_description(const std::string& table);

/// Throws Error naming the first column that a described table of the record lacks, or that holds
/// the other kind; undescribed ones may be present.
void require_readable(const Record& record);

/// Throws Error naming the first table or column of the record that is not described, is among
/// samples instead of derived tables (or vice versa), or lacks a described column.
void require_described(const Record& record);

/// One member of a row, and the column that holds it.
template <class Row>
struct Field {
    std::string name, unit, meaning;
    std::variant<double Row::*, std::string Row::*> member;
    int since = 1;

    ColumnDescription description() const {
        return {name, unit, meaning, member.index() == 1, since};
    }
};

namespace detail {
void add_description(TableDescription description);
/// The column, or null where a record of version `version` may lack it. Throws Error otherwise, or
/// when it holds the other kind or fewer than `rows`.
const Table::Column* described_column(const Table& table, const ColumnDescription& wanted,
                                      int version);
}  // namespace detail

/// The columns of a table of such rows. One constant per row type: `Row::schema`.
template <class Row>
class TableSchema {
  public:
    TableSchema(std::string name, Role role, std::string meaning, std::vector<Field<Row>> fields)
        : name_(std::move(name)), fields_(std::move(fields)) {
        TableDescription description{name_, role, std::move(meaning), {}};
        for (const auto& field : fields_) description.columns.push_back(field.description());
        detail::add_description(std::move(description));
    }

    const std::string& name() const { return name_; }
    const std::vector<Field<Row>>& fields() const { return fields_; }

    Table table(const std::vector<Row>& rows) const {
        Table table{name_, {}};
        for (const auto& field : fields_) {
            Table::Column column{field.name, {}, {}};
            for (const Row& row : rows) append(column, row, field);
            table.columns.push_back(std::move(column));
        }
        return table;
    }

    std::vector<Row> rows(const Table& table, int version) const {
        std::vector<Row> rows(table.rows());
        for (const auto& field : fields_) {
            const auto* column = detail::described_column(table, field.description(), version);
            if (column == nullptr) continue;
            for (std::size_t i = 0; i < rows.size(); ++i) assign(rows[i], *column, i, field);
        }
        // Converts the meaning of a column in an older version to the current one.
        if constexpr (requires(Row & row) { row.was_read_from(version); }) {
            for (Row& row : rows) row.was_read_from(version);
        }
        return rows;
    }

  private:
    static void append(Table::Column& column, const Row& row, const Field<Row>& field) {
        if (const auto* number = std::get_if<double Row::*>(&field.member)) {
            column.numbers.push_back(row.**number);
        } else {
            column.texts.push_back(row.*std::get<std::string Row::*>(field.member));
        }
    }
    static void assign(Row& row, const Table::Column& column, std::size_t i,
                       const Field<Row>& field) {
        if (const auto* number = std::get_if<double Row::*>(&field.member)) {
            row.** number = column.numbers[i];
        } else {
            row.*std::get<std::string Row::*>(field.member) = column.texts[i];
        }
    }

    std::string name_;
    std::vector<Field<Row>> fields_;
};

template <class Row>
Table table_of(const std::vector<Row>& rows) {
    return Row::schema.table(rows);
}

/// The rows of a record; none if it has no such table. Columns added in a later version than the
/// record's are not_measured, or empty texts. Throws Error naming a column that is missing or of
/// the wrong kind.
template <class Row>
std::vector<Row> rows_of(const Record& record) {
    if (!record.has_table(Row::schema.name())) return {};
    return Row::schema.rows(record.table(Row::schema.name()), record.version);
}

}  // namespace shardstone::results
