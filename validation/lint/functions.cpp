// SPDX-License-Identifier: BSD-3-Clause
// Functions and declarations of a source, found by its layout alone, without a parser.
#include "validation/lint/functions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace shardstone::validation {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

/// Without a comment at its end.
std::string_view code_of(std::string_view line) {
    const auto code = line.substr(0, line.find("  // "));
    const auto last = code.find_last_not_of(' ');
    return code.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// The next line begins another statement.
bool ends_statement(std::string_view line) {
    const auto code = code_of(line).substr(indentation(code_of(line)));
    constexpr std::array labels{"public:", "private:", "protected:"};
    return code.empty() || code.starts_with('#') || code.starts_with("//") || code.ends_with(';') ||
           code.ends_with('{') || code.ends_with('}') || std::ranges::count(labels, code) > 0;
}

/// What a statement that opens a brace is about: what holds functions, one of them, or a table.
enum class Opened : std::uint8_t { scope, function, table };

/// Without "template <...>".
std::string_view without_template(std::string_view statement) {
    if (!statement.starts_with("template <")) return statement;
    int depth = 0;
    for (std::size_t i = 0; i < statement.size(); ++i) {
        if (statement[i] == '<') ++depth;
        if (statement[i] == '>' && --depth == 0) return statement.substr(i + 2);
    }
    return statement;
}

Opened opened_by(std::string_view statement) {
    constexpr std::array scopes{"namespace ", "class ", "struct ",
                                "union ",     "enum ",  "extern \"C\""};
    const std::string_view what = without_template(statement);
    const bool is_scope =
        std::ranges::any_of(scopes, [&](std::string_view word) { return what.starts_with(word); });
    if (is_scope) return Opened::scope;
    const auto parameters = what.find('(');
    const bool is_value = what.find(" = ") < parameters;
    const bool is_argument = std::ranges::count(what, '(') != std::ranges::count(what, ')');
    const bool is_table = parameters == std::string_view::npos || is_value || is_argument;
    return is_table ? Opened::table : Opened::function;
}

/// The line of the brace that closes what the statement from `first` to `opening` opens.
std::size_t closing(const std::vector<std::string_view>& lines, std::size_t first,
                    std::size_t opening) {
    const std::size_t column = indentation(lines[first]);
    std::size_t at = opening + 1;
    while (at < lines.size() &&
           !(indentation(lines[at]) == column && lines[at].substr(column).starts_with('}'))) {
        ++at;
    }
    return at;
}

std::string joined(const std::vector<std::string_view>& lines, std::size_t first,
                   std::size_t last) {
    std::string statement;
    for (std::size_t i = first; i <= last; ++i) {
        statement += std::string(code_of(lines[i]).substr(indentation(lines[i]))) + " ";
    }
    return statement;
}

}  // namespace

std::vector<FunctionExtent> functions_of(std::string_view text) {
    std::vector<FunctionExtent> functions;
    const auto lines = lines_of(text);
    bool is_anonymous = false;
    std::size_t first = 0;  // of the statement
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!ends_statement(lines[i])) continue;
        is_anonymous = (is_anonymous || lines[i] == "namespace {") && lines[i] != "}  // namespace";
        if (code_of(lines[i]).ends_with('{')) {
            const std::string head = joined(lines, first, i);
            const Opened opened = opened_by(head);
            const std::size_t end = closing(lines, first, i);
            if (opened == Opened::function) {
                const bool is_free = indentation(lines[first]) == 0;
                functions.push_back({std::string(lines[first]), static_cast<int>(first) + 1,
                                     static_cast<int>(end - first) + 1,
                                     std::string(without_template(head)), is_anonymous && is_free});
            }
            if (opened != Opened::scope) i = end;
        }
        first = i + 1;
    }
    return functions;
}

std::vector<std::string> declarations_of(std::string_view text) {
    std::vector<std::string> declarations;
    const auto lines = lines_of(text);
    std::size_t first = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!ends_statement(lines[i])) continue;
        if (code_of(lines[i]).ends_with(';') && indentation(lines[first]) == 0) {
            declarations.emplace_back(without_template(joined(lines, first, i)));
        }
        first = i + 1;
    }
    return declarations;
}

}  // namespace shardstone::validation
