// SPDX-License-Identifier: BSD-3-Clause
// File-local functions that a header elsewhere also declares, found by name and parameter types.
#include "validation/lint/captured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "validation/lint/functions.hpp"

namespace shardstone::validation {

namespace {

struct Signature {
    std::string name;
    std::vector<std::string> types;  ///< of its parameters, without const and namespaces

    auto operator<=>(const Signature&) const = default;
};

bool is_of_name(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// "const coll::Spec& spec = {}" is a "Spec&".
std::string type_of(std::string_view parameter) {
    parameter = parameter.substr(0, parameter.find(" = "));
    std::string type;
    std::size_t words = 0, last_word = 0;
    for (std::size_t i = 0; i < parameter.size();) {
        std::size_t end = i;
        while (end < parameter.size() && is_of_name(parameter[end])) ++end;
        const std::string_view word = parameter.substr(i, std::max<std::size_t>(end - i, 1));
        i += word.size();
        const bool is_scope = parameter.substr(i).starts_with("::");
        if (is_scope) i += 2;
        if (is_scope || word == "const" || word == " ") continue;
        last_word = type.size();
        words += is_of_name(word[0]) ? 1 : 0;
        type += word;
    }
    const bool is_named = words > 1 && is_of_name(type.back());
    return is_named ? type.substr(0, last_word) : type;
}

std::vector<std::string> types_of(std::string_view parameters) {
    std::vector<std::string> types;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= parameters.size(); ++i) {
        const char letter = i < parameters.size() ? parameters[i] : ',';
        if (letter == '<' || letter == '(' || letter == '{') ++depth;
        if (letter == '>' || letter == ')' || letter == '}') --depth;
        if (letter != ',' || depth > 0) continue;
        if (i > begin) types.push_back(type_of(parameters.substr(begin, i - begin)));
        begin = i + 1;
    }
    return types;
}

/// Of a free function's declaration or the head of its definition.
std::optional<Signature> signature_of(std::string_view statement) {
    const auto opening = statement.find('(');
    const auto closing = statement.rfind(')');
    if (opening == std::string_view::npos || closing == std::string_view::npos) return {};
    std::size_t first = opening;
    while (first > 0 && is_of_name(statement[first - 1])) --first;
    const bool is_member = statement.substr(0, first).ends_with("::");
    const bool has_result = statement.substr(0, first).find_first_not_of(' ') < first;
    if (first == opening || is_member || !has_result || closing < opening) return {};
    return Signature{std::string(statement.substr(first, opening - first)),
                     types_of(statement.substr(opening + 1, closing - opening - 1))};
}

std::string_view without_ending(std::string_view path) {
    return path.substr(0, path.rfind('.'));
}

}  // namespace

std::vector<std::string> captured_names(const std::map<std::string, std::string>& sources) {
    std::map<Signature, std::string> declared;
    for (const auto& [path, text] : sources) {
        if (!path.ends_with(".hpp")) continue;
        for (const std::string& statement : declarations_of(text)) {
            if (const auto signature = signature_of(statement)) declared.emplace(*signature, path);
        }
    }
    std::vector<std::string> findings;
    for (const auto& [path, text] : sources) {
        for (const FunctionExtent& function : functions_of(text)) {
            const auto signature = signature_of(function.head);
            if (!function.is_of_the_file || !signature) continue;
            const auto found = declared.find(*signature);
            if (found == declared.end()) continue;
            if (without_ending(found->second) == without_ending(path)) continue;
            findings.push_back(fmt::format("{}:{}: {} is declared in {}, too: give it another name",
                                           path, function.line, signature->name, found->second));
        }
    }
    return findings;
}

}  // namespace shardstone::validation
