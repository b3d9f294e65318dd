// SPDX-License-Identifier: BSD-3-Clause
// The reference page of the record format is written from the descriptions of all tables.
#include "results/schema/format_page.hpp"

#include <fmt/format.h>

#include "results/schema/schema.hpp"

namespace shardstone::results {

namespace {

constexpr const char* opening = R"(# What a record holds

Written by `shardstone show --format`, from the row types in this folder; a test compares.

A record is one run: `kind`, `identity` (id, title, start, duration, command line), `configuration`
(every option in force), `environment` (machines, build, libraries, variables, what was warned of
before the run and which counters of the nodes' health rose), tables of samples (all that was
measured), tables of what was derived from them, and the checks of the run. JSON
(results/format/json_format.hpp) and HDF5 (results/format/hdf5_format.hpp) hold the same; the units
and sentences below stand in both, in HDF5 as the attributes `unit` and `meaning` of each column, in
JSON as members of these names beside its numbers (since version 3). A hash over all bytes, and one
over the contents, show any change (`shardstone verify`).

`shardstone convert` makes CSV or JSON lines of it; `results/python/shardstone_records.py` reads it
in Python. This is version {version} of the format. Records of older versions are read under the
names below; the columns that came later ("since") are not numbers (NaN), or empty texts, there.
)";

std::string text_of(const TableDescription& table) {
    std::string text = fmt::format(
        "\n## {}\n\n{} ({})\n\n| column | unit | since | meaning |\n"
        "| --- | --- | --- | --- |\n",
        table.name, table.meaning, table.role == Role::samples ? "samples" : "derived");
    for (const auto& column : table.columns) {
        const std::string unit = column.is_text ? "text" : column.unit.empty() ? "-" : column.unit;
        text += fmt::format("| `{}` | {} | {} | {} |\n", column.name, unit, column.since,
                            column.meaning);
    }
    return text;
}

}  // namespace

std::string format_page() {
    std::string text = fmt::format(fmt::runtime(opening), fmt::arg("version", format_version));
    for (const auto& table : described_tables()) text += text_of(table);
    return text;
}

}  // namespace shardstone::results
