// SPDX-License-Identifier: BSD-3-Clause
// Tables as CSV, records as JSON lines.
#include "results/convert/rows.hpp"

#include <fmt/format.h>

#include "results/format/json_tables.hpp"

namespace shardstone::results {

namespace {

using nlohmann::ordered_json;

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::string csv_cell(const Table::Column& column, std::size_t row) {
    return column.texts.empty() ? fmt::format("{}", column.numbers[row])
                                : csv_field(column.texts[row]);
}

std::string line(const ordered_json& document) {
    return document.dump() + "\n";
}

std::string rows_as_lines(const Table& table) {
    std::string text;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        ordered_json row;
        for (const auto& column : table.columns) {
            row[column.name] = column.texts.empty()
                                   ? ordered_json(number_to_json(column.numbers[i]))
                                   : ordered_json(column.texts[i]);
        }
        text += line({{"table", table.name}, {"row", row}});
    }
    return text;
}

}  // namespace

std::string to_csv(const Table& table) {
    std::string text;
    const auto add_line = [&](auto&& cell) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            text += (c == 0 ? "" : ",") + cell(table.columns[c]);
        }
        text += "\n";
    };
    add_line([](const Table::Column& column) { return csv_field(column.name); });
    for (std::size_t i = 0; i < table.rows(); ++i) {
        add_line([i](const Table::Column& column) { return csv_cell(column, i); });
    }
    return text;
}

std::string to_json_lines(const Record& record) {
    std::string text = line({{"record",
                              {{"kind", record.kind},
                               {"version", record.version},
                               {"hash", hash_of(record)},
                               {"identity", record.identity},
                               {"configuration", record.configuration},
                               {"environment", record.environment}}}});
    for (const Check& check : record.verification) {
        text +=
            line({{"check",
                   {{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}}}});
    }
    for (const auto* tables : {&record.derived, &record.samples}) {
        for (const Table& table : *tables) text += rows_as_lines(table);
    }
    return text;
}

}  // namespace shardstone::results
