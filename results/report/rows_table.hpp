// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "results/report/html.hpp"
#include "results/report/source.hpp"

namespace shardstone::results {

/// A cell of a table of the record, by the unit of its column: "24.3 us", "4 MiB", "1.20 GB/s", and
/// "2026-11-26T00:41:30.250Z" of a column "unix_s" or "begin_unix_s"; "yes" or "no" of one whose
/// meaning is "1 if ..."; "150 to 1" of odds; "no upper bound" of the end of an interval. An
/// impossible share (words.hpp: share_text) is marked.
std::string cell_text(const ColumnDescription& column, double value);

/// Where columns of a table stand that is too wide for a page; by their names in the record.
struct TableLayout {
    std::vector<std::string> first = {};     ///< at the left, in this order: what decides
    std::string above = {};                  ///< a line of its own above its rows: what they are of
    std::vector<std::string> below = {};     ///< in a line beneath each row: what is long
    std::vector<std::string> left_out = {};  ///< nowhere: another column tells the same
};

/// All columns of these rows, except those that are empty in all, as in the record: one heading per
/// column ("time low", its meaning as a tooltip), and, for scripts, data-file and data-table on the
/// table, data-column on each heading. What `layout` puts into lines of their own has neither.
HtmlTable table_of_columns(const Source& source, const Table& table,
                           const std::vector<ColumnDescription>& columns,
                           const TableLayout& layout = {});

/// Moves these columns to the front, in this order: what decides, of a table too wide for a screen.
void put_first(const std::vector<std::string>& names, Table& table,
               std::vector<ColumnDescription>& columns);

/// A whole table of a record, folded where it is long, below the files and commands it is from.
/// Empty if the record lacks it.
template <class Row>
std::string whole_table(const Source& source, const std::string& title,
                        const TableLayout& layout = {});

/// A table under its title, or behind it where it is long; `below` is HTML.
std::string folded_if_long(const std::string& title, const HtmlTable& table,
                           const std::string& below = "");

/// The same, with the file and command it is from.
std::string titled_table(const Source& source, const std::string& title, const HtmlTable& table);

/// Whether the machine was busy with other work when a row was measured; rows of records without
/// this information count as undisturbed.
template <class Row>
bool is_disturbed(const Row& row) {
    if constexpr (requires { row.disturbed > 0.0; }) {
        return row.disturbed > 0.0;
    } else {
        return false;
    }
}

/// " (disturbed: the machine was busy with other work)" or "".
std::string disturbance_note(bool disturbed);

/// " !" or "": after a figure in a table, with an explanation below the table.
std::string disturbance_mark(bool disturbed);
constexpr const char* meaning_of_the_mark = "! disturbed: the machine was busy with other work";

/// The same as a cell: "yes" or "no", "-" if the record does not have it.
template <class Row>
std::string disturbance_cell(const Row& row) {
    return std::isnan(row.disturbed) ? "-" : is_disturbed(row) ? "yes" : "no";
}

/// " (1 disturbed point left out)" or "".
std::string left_out_note(std::ptrdiff_t disturbed, const std::string& noun);

/// Verdict on which of two is faster, if one of them was disturbed.
constexpr const char* undecided = "undecided: the machine was busy";

template <class Row>
std::string whole_table(const Source& source, const std::string& title, const TableLayout& layout) {
    const auto all = rows<Row>(source);
    if (all.empty()) return "";
    std::vector<ColumnDescription> columns;
    for (const auto& field : Row::schema.fields()) columns.push_back(field.description());
    Table table = table_of(all);
    put_first(layout.first, table, columns);
    return titled_table(source, title, table_of_columns(source, table, columns, layout));
}

}  // namespace shardstone::results
