// SPDX-License-Identifier: BSD-3-Clause
// Names, texts, numbers and column lengths of a record are checked before it is written.
#include "results/record/wellformed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/base/utf8.hpp"

namespace shardstone::results {

namespace {

void require_name(const std::string& name, const std::string& place) {
    constexpr const char* allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const bool proper = !name.empty() && name.find_first_not_of(allowed) == std::string::npos &&
                        name.find_first_not_of('.') != std::string::npos;
    require(proper, [&] {
        return fmt::format("{} cannot be named '{}': use letters, digits, '_', '-' and '.'", place,
                           name);
    });
}

void require_text(const std::string& text, const std::string& place) {
    require(as_utf8(text) == text,
            [&] { return fmt::format("a text in {} is not UTF-8 or holds a zero byte", place); });
}

void require_document(const nlohmann::json& document, const std::string& place) {
    if (document.is_string()) require_text(document.get_ref<const std::string&>(), place);
    if (document.is_number_float()) {
        require(std::isfinite(document.get<double>()), [&] {
            return fmt::format("{} holds a number that JSON has not (infinite or undefined)",
                               place);
        });
    }
    if (!document.is_structured()) return;
    for (const auto& [key, value] : document.items()) {
        require_text(key, place);
        require_document(value, fmt::format("{}.{}", place, key));
    }
}

void require_table(const Table& table) {
    std::set<std::string> names;
    for (const auto& column : table.columns) {
        const auto place = fmt::format("column '{}' of table '{}'", column.name, table.name);
        require_name(column.name, "a column of table '" + table.name + "'");
        require(names.insert(column.name).second, [&] { return place + " is there twice"; });
        require(column.numbers.empty() || column.texts.empty(),
                [&] { return place + " holds both numbers and texts"; });
        require(column.rows() == table.rows(), [&] {
            return fmt::format("{} has {} rows, the first column {}", place, column.rows(),
                               table.rows());
        });
        for (const auto& text : column.texts) require_text(text, place);
    }
}

void require_tables(const std::vector<Table>& tables, const std::string& place) {
    std::set<std::string> names;
    for (const Table& table : tables) {
        require_name(table.name, "a table of " + place);
        require(names.insert(table.name).second,
                [&] { return fmt::format("{} hold the table '{}' twice", place, table.name); });
        require_table(table);
    }
}

}  // namespace

void require_wellformed(const Record& record) {
    require_text(record.kind, "kind");
    require_document(record.identity, "identity");
    require_document(record.configuration, "configuration");
    require_document(record.environment, "environment");
    require_tables(record.samples, "the samples");
    require_tables(record.derived, "the derived tables");
    for (const Check& check : record.verification) {
        require_text(check.name, "the verification");
        require_text(check.detail, "the verification");
    }
}

}  // namespace shardstone::results
