// SPDX-License-Identifier: BSD-3-Clause
// Bytes that are not UTF-8 are escaped before a record is written, in every text that it holds.
#include "results/record/texts.hpp"

#include <utility>

#include "kernels/base/utf8.hpp"

namespace shardstone::results {

namespace {

void escape_tables(std::vector<Table>& tables) {
    for (Table& table : tables) {
        for (auto& column : table.columns) {
            for (auto& text : column.texts) text = as_utf8(text);
        }
    }
}

}  // namespace

void escape_texts(nlohmann::json& document) {
    if (document.is_string()) {
        document = as_utf8(document.get_ref<const std::string&>());
    } else if (document.is_array()) {
        for (auto& entry : document) escape_texts(entry);
    } else if (document.is_object()) {
        auto escaped = nlohmann::json::object();
        for (auto& [key, value] : document.items()) {
            escape_texts(value);
            escaped[as_utf8(key)] = std::move(value);
        }
        document = std::move(escaped);
    }
}

void escape_texts(Record& record) {
    escape_texts(record.identity);
    escape_texts(record.configuration);
    escape_texts(record.environment);
    escape_tables(record.samples);
    escape_tables(record.derived);
    for (Check& check : record.verification) {
        check.name = as_utf8(check.name);
        check.detail = as_utf8(check.detail);
    }
}

}  // namespace shardstone::results
