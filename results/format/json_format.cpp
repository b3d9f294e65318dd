// SPDX-License-Identifier: BSD-3-Clause
#include "results/format/json_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/known_fields.hpp"
#include "results/format/seal.hpp"
#include "results/format/wellformed.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr std::string_view opening = "{\"seal\": \"";
constexpr std::string_view closing = "\",\n";
constexpr std::size_t head_size = opening.size() + hash_digits + closing.size();

double number_from_json(const json& value, const std::string& place) {
    if (value.is_number()) return value.get<double>();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (value == "Infinity") return infinity;
    if (value == "-Infinity") return -infinity;
    fail(fmt::format("{}: {} is no number", place, value.dump().substr(0, 40)));
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

json to_json(const Table& table) {
    json columns = json::array();
    for (const auto& column : table.columns) {
        json entry{{"name", column.name}};
        add_description(table, column, entry);
        if (column.texts.empty()) {
            json& numbers = entry["numbers"] = json::array();
            for (const double value : column.numbers) numbers.push_back(number_to_json(value));
        } else {
            entry["texts"] = column.texts;
        }
        columns.push_back(std::move(entry));
    }
    json all{{"name", table.name}, {"columns", std::move(columns)}};
    if (const auto* described = find_description(table.name)) all["meaning"] = described->meaning;
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

json to_json(const std::vector<Table>& tables) {
    json list = json::array();
    for (const Table& table : tables) list.push_back(to_json(table));
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

Record record_from_json(const json& document, const std::string& source) {
    Record record;
    record.kind = member<std::string>(document, "kind", source);
    record.identity = member<json>(document, "identity", source);
    record.configuration = member<json>(document, "configuration", source);
    record.environment = member<json>(document, "environment", source);
    record.samples = tables_from_json(document, "samples", source);
    record.derived = tables_from_json(document, "derived", source);
    for (const auto& check : member<json::array_t>(document, "verification", source)) {
        const std::string place = source + ": a check";
        record.verification.push_back({member<std::string>(check, "name", place),
                                       member<bool>(check, "passed", place),
                                       member<std::string>(check, "detail", place)});
    }
    return record;
}

/// The object without its opening brace: what the seal covers.
std::string sealed_part(const Record& record) {
    nlohmann::ordered_json document;
    document["format"] = "shardstone record";
    document["version"] = format_version;
    document["hash"] = hash_of(record);
    document["kind"] = record.kind;
    document["identity"] = record.identity;
    document["configuration"] = record.configuration;
    document["environment"] = record.environment;
    document["verification"] = json::array();
    for (const Check& check : record.verification) {
        document["verification"].push_back(
            {{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
    }
    document["derived"] = to_json(record.derived);
    document["samples"] = to_json(record.samples);
    return document.dump(1).substr(2) + "\n";
}

json parsed(const std::string& bytes, const std::string& source) {
    try {
        return json::parse(bytes);
    } catch (const json::exception&) {
        fail(fmt::format("'{}' is no Shardstone record: it is no JSON", source));
    }
}

}  // namespace

json number_to_json(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

std::string to_json_text(const Record& record) {
    require_wellformed(record);
    const std::string rest = sealed_part(record);
    return fmt::format("{}{}{}{}", opening, hash_of_bytes(rest), closing, rest);
}

bool looks_like_json(const std::string& bytes) {
    return bytes.starts_with(opening);
}

Record from_json_text(const std::string& bytes, const std::string& source) {
    require(bytes.size() > head_size &&
                bytes.compare(head_size - closing.size(), closing.size(), closing) == 0,
            [&] { return changed_message(source); });
    const auto rest = std::string_view(bytes).substr(head_size);
    require_seal(std::string_view(bytes).substr(opening.size(), hash_digits), rest, source);
    const json document = parsed(bytes, source);
    const std::string place = fmt::format("'{}' is no Shardstone record", source);
    const int version = member<int>(document, "version", place);
    require_version(version, source);
    Record record = record_from_json(document, place);
    record.version = version;
    record.hash = member<std::string>(document, "hash", place);
    require_content_hash(record, record.hash, source);
    return record;
}

void write_json(const Record& record, const std::filesystem::path& path) {
    write_file(path, to_json_text(record));
}

}  // namespace shardstone::results
