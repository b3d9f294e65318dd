// SPDX-License-Identifier: BSD-3-Clause
#include "results/format/json_format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/seal.hpp"
#include "results/format/wellformed.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr std::string_view opening = "{\"seal\": \"";
constexpr std::string_view closing = "\",\n";
constexpr std::size_t head_size = opening.size() + hash_digits + closing.size();

double number_from_json(const json& value) {
    if (value.is_number()) return value.get<double>();
    const auto& word = value.get_ref<const std::string&>();
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (word == "Infinity") return infinity;
    if (word == "-Infinity") return -infinity;
    fail("'" + word + "' is no number");
}

json to_json(const Table& table) {
    json columns = json::array();
    for (const auto& column : table.columns) {
        json entry{{"name", column.name}};
        if (column.texts.empty()) {
            json& numbers = entry["numbers"] = json::array();
            for (const double value : column.numbers) numbers.push_back(number_to_json(value));
        } else {
            entry["texts"] = column.texts;
        }
        columns.push_back(std::move(entry));
    }
    return {{"name", table.name}, {"columns", std::move(columns)}};
}

Table table_from_json(const json& document) {
    Table table{document.at("name"), {}};
    for (const auto& entry : document.at("columns")) {
        Table::Column column{entry.at("name"), {}, {}};
        if (entry.contains("texts")) {
            column.texts = entry.at("texts").get<std::vector<std::string>>();
        } else {
            for (const auto& value : entry.at("numbers")) {
                column.numbers.push_back(number_from_json(value));
            }
        }
        table.columns.push_back(std::move(column));
    }
    return table;
}

json to_json(const std::vector<Table>& tables) {
    json list = json::array();
    for (const Table& table : tables) list.push_back(to_json(table));
    return list;
}

std::vector<Table> tables_from_json(const json& list) {
    std::vector<Table> tables;
    for (const auto& entry : list) tables.push_back(table_from_json(entry));
    return tables;
}

Record record_from_json(const json& document) {
    Record record;
    record.kind = document.at("kind");
    record.identity = document.at("identity");
    record.configuration = document.at("configuration");
    record.environment = document.at("environment");
    record.samples = tables_from_json(document.at("samples"));
    record.derived = tables_from_json(document.at("derived"));
    for (const auto& check : document.at("verification")) {
        record.verification.push_back({check.at("name"), check.at("passed"), check.at("detail")});
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
    try {
        const json document = json::parse(bytes);
        const int version = document.at("version");
        require_version(version, source);
        Record record = record_from_json(document);
        record.version = version;
        record.hash = document.at("hash");
        require_content_hash(record, record.hash, source);
        return record;
    } catch (const json::exception&) {
        fail(fmt::format("'{}' is no Shardstone record: its JSON lacks what a record holds",
                         source));
    }
}

void write_json(const Record& record, const std::filesystem::path& path) {
    const std::string text = to_json_text(record);
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace shardstone::results
