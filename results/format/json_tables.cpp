// SPDX-License-Identifier: BSD-3-Clause
// Tables and checks to JSON and back; numbers that JSON does not have travel as texts.
#include "results/format/json_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "results/format/known_fields.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

double number_from_json(const json& value, const std::string& place) {
    if (value.is_number()) return value.get<double>();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (value == "Infinity") return infinity;
    if (value == "-Infinity") return -infinity;
    fail(fmt::format("{}: {} is not a number", place, value.dump().substr(0, 40)));
}

/// What results/schema says of a column; nothing of one that it does not know.
void add_description(const Table& table, const Table::Column& column, json& entry) {
    const auto* described = find_description(table.name);
    if (described == nullptr) return;
    const auto found = std::ranges::find(described->columns, column.name, &ColumnDescription::name);
    if (found == described->columns.end()) return;
    if (!found->unit.empty()) entry["unit"] = found->unit;
    entry["meaning"] = found->meaning;
}

json to_json(const Table& table, bool with_meanings) {
    json columns = json::array();
    for (const auto& column : table.columns) {
        json entry{{"name", column.name}};
        if (with_meanings) add_description(table, column, entry);
        if (column.texts.empty()) {
            json& numbers = entry["numbers"] = json::array();
            for (const double value : column.numbers) numbers.push_back(number_to_json(value));
        } else {
            entry["texts"] = column.texts;
        }
        columns.push_back(std::move(entry));
    }
    json all{{"name", table.name}, {"columns", std::move(columns)}};
    const auto* described = with_meanings ? find_description(table.name) : nullptr;
    if (described != nullptr) all["meaning"] = described->meaning;
    return all;
}

Table::Column column_from_json(const json& entry, const std::string& in_table) {
    Table::Column column{member<std::string>(entry, "name", "a column of " + in_table), {}, {}};
    const auto place = fmt::format("column '{}' of {}", column.name, in_table);
    if (entry.contains("texts")) {
        column.texts = member<std::vector<std::string>>(entry, "texts", place);
        return column;
    }
    for (const auto& value : member<json::array_t>(entry, "numbers", place)) {
        column.numbers.push_back(number_from_json(value, place));
    }
    return column;
}

Table table_from_json(const json& document, const std::string& source) {
    Table table{member<std::string>(document, "name", source + ": a table"), {}};
    const auto place = fmt::format("{}: table '{}'", source, table.name);
    for (const auto& entry : member<json::array_t>(document, "columns", place)) {
        table.columns.push_back(column_from_json(entry, place));
    }
    return table;
}

}  // namespace

json number_to_json(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

json to_json(const std::vector<Table>& tables, bool with_meanings) {
    json list = json::array();
    for (const Table& table : tables) list.push_back(to_json(table, with_meanings));
    return list;
}

std::vector<Table> tables_from_json(const json& document, const char* name,
                                    const std::string& source) {
    std::vector<Table> tables;
    for (const auto& entry : member<json::array_t>(document, name, source)) {
        tables.push_back(table_from_json(entry, source));
    }
    return tables;
}

json to_json(const std::vector<Check>& checks) {
    json list = json::array();
    for (const Check& check : checks) {
        list.push_back({{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
    }
    return list;
}

std::vector<Check> checks_from_json(const json& document, const std::string& source) {
    std::vector<Check> checks;
    for (const auto& check : member<json::array_t>(document, "verification", source)) {
        const std::string place = source + ": a check";
        checks.push_back({member<std::string>(check, "name", place),
                          member<bool>(check, "passed", place),
                          member<std::string>(check, "detail", place)});
    }
    return checks;
}

}  // namespace shardstone::results
