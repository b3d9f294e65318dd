// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

void require_verified(const Source& source) {
    const auto& checks = source.record.verification;
    require(!checks.empty(), [&] {
        return fmt::format(
            "'{}' holds no verification, so nothing stands behind its numbers: run "
            "it again with its checks on",
            source.path.string());
    });
    const auto failed = std::ranges::find(checks, false, &Check::passed);
    require(failed == checks.end(), [&] {
        return fmt::format("'{}' did not pass its verification: {} ({})", source.path.string(),
                           failed->name, failed->detail);
    });
}

template <class Read>
decltype(auto) named_after(const Source& source, Read&& read) {
    try {
        return read();
    } catch (const Error& error) {
        fail(fmt::format("'{}': {}", source.path.string(), error.what()));
    }
}

const Table::Column& column_of(const Source& source, const std::string& table,
                               const std::string& column) {
    return named_after(source, [&]() -> const Table::Column& {
        return source.record.table(table).column(column);
    });
}

[[noreturn]] void wrong_kind(const Source& source, const std::string& table,
                             const std::string& column, const char* wanted) {
    fail(fmt::format("'{}': column '{}' of table '{}' holds no {}", source.path.string(), column,
                     table, wanted));
}

}  // namespace

std::vector<Source> read_sources(const std::vector<std::filesystem::path>& paths) {
    std::vector<Source> sources;
    std::map<std::string, std::string> seen;
    for (const auto& path : paths) {
        Source source{path, read_record(path), {}};
        source.hash = source.record.hash;
        const auto [first, fresh] = seen.emplace(source.hash, path.string());
        require(fresh, [&] {
            return fmt::format("'{}' is the same run as '{}': give each run once", path.string(),
                               first->second);
        });
        require_verified(source);
        sources.push_back(std::move(source));
    }
    return sources;
}

std::vector<const Source*> with_table(const std::vector<Source>& sources,
                                      const std::string& table) {
    std::vector<const Source*> found;
    for (const Source& source : sources) {
        if (source.record.has_table(table) && source.record.table(table).rows() > 0) {
            found.push_back(&source);
        }
    }
    return found;
}

const std::vector<double>& numbers(const Source& source, const std::string& table,
                                   const std::string& column) {
    const auto& found = column_of(source, table, column);
    if (!found.texts.empty()) wrong_kind(source, table, column, "numbers");
    return found.numbers;
}

const std::vector<std::string>& texts(const Source& source, const std::string& table,
                                      const std::string& column) {
    const auto& found = column_of(source, table, column);
    if (!found.numbers.empty()) wrong_kind(source, table, column, "texts");
    return found.texts;
}

double number(const Source& source, const std::string& table, const std::string& column) {
    const auto& values = numbers(source, table, column);
    if (values.empty()) wrong_kind(source, table, column, "number in its first row");
    return values.front();
}

std::string environment_text(const Source& source, const std::string& pointer) {
    const nlohmann::json::json_pointer path(pointer);
    const auto& environment = source.record.environment;
    if (!environment.contains(path)) return "";
    const auto& value = environment.at(path);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

double cores_of_node(const Source& source) {
    const auto& environment = source.record.environment;
    const nlohmann::json::json_pointer cores("/machine/cores");
    if (!environment.contains(cores) || !environment.at(cores).is_number()) return 1.0;
    return std::max(1.0, environment.at(cores).get<double>());
}

double cores_of(const Source& source) {
    const auto& environment = source.record.environment;
    if (!environment.contains("nodes")) return cores_of_node(source);
    const auto& nodes = environment.at("nodes");
    const double count = nodes.is_number()  ? nodes.get<double>()
                         : nodes.is_array() ? static_cast<double>(nodes.size())
                                            : 1.0;
    return cores_of_node(source) * std::max(1.0, count);
}

}  // namespace shardstone::results
