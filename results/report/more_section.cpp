// SPDX-License-Identifier: BSD-3-Clause
// The report's section for tables of the records that no other section has taken up.
#include <fmt/format.h>

#include <algorithm>

#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// Longer tables of samples are named with their length: what they amount to is shown elsewhere.
constexpr std::size_t most_listed_samples = 200;

/// The columns of a table that the format describes, and it has, in the order of the description.
std::string described_table(const Source& source, const Table& table,
                            const TableDescription& description) {
    Table shown{table.name, {}};
    std::vector<ColumnDescription> columns;
    for (const auto& column : description.columns) {
        const auto found = std::ranges::find(table.columns, column.name, &Table::Column::name);
        if (found == table.columns.end()) continue;
        shown.columns.push_back(*found);
        columns.push_back(column);
    }
    return titled_table(source, fmt::format("{}: {}", source.file(), description.meaning),
                        table_of_columns(source, shown, columns));
}

}  // namespace

std::optional<Section> more_section(const std::vector<Source>& sources) {
    Section section{"more", "Other tables"};
    section.lead = "Tables of the records that no section above uses, and the numbers of samples.";
    HtmlTable samples({"File", "Samples", "Rows", "Meaning of a row"});
    for (const Source& source : sources) {
        for (const auto* tables : {&source.record.derived, &source.record.samples}) {
            for (const Table& table : *tables) {
                const auto* description = find_description(table.name);
                if (description == nullptr || source.read_tables.contains(table.name)) continue;
                source.read_tables.insert(table.name);
                const std::size_t rows = table.rows();
                if (description->role == Role::samples && rows > most_listed_samples) {
                    samples.add_row({source.file(), table.name,
                                     count_text(static_cast<double>(rows)), description->meaning});
                } else if (rows > 0) {
                    section.body += described_table(source, table, *description);
                }
            }
        }
    }
    if (!samples.empty()) section.body += samples.html();
    if (section.body.empty()) return std::nullopt;
    return section;
}

}  // namespace shardstone::results
