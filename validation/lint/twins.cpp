// SPDX-License-Identifier: BSD-3-Clause
// Types of one name in one namespace that are defined in different sources.
#include "validation/lint/twins.hpp"

#include <fmt/format.h>

#include <regex>
#include <sstream>

namespace shardstone::validation {

namespace {

/// "n::m::Name" of the types that a source defines outside of types and anonymous namespaces. By
/// the house's style these stand at the beginning of a line.
std::vector<std::string> types_in(const std::string& text) {
    static const std::regex opens(R"(^(inline )?namespace ?([\w:]*) ?\{.*)");
    static const std::regex defines(
        R"(^(?:struct|class|enum class) (?:alignas\(\d+\) )?([A-Z]\w*)(?: final)?(?: : [^;]*)? ?\{.*)");
    std::vector<std::string> types, scopes;
    std::istringstream lines(text);
    std::smatch match;
    int anonymous = 0;
    for (std::string line; std::getline(lines, line);) {
        if (std::regex_match(line, match, opens)) {
            scopes.push_back(match.str(2));
            anonymous += scopes.back().empty() ? 1 : 0;
        } else if (line.starts_with("}  // namespace") && !scopes.empty()) {
            anonymous -= scopes.back().empty() ? 1 : 0;
            scopes.pop_back();
        } else if (anonymous == 0 && std::regex_match(line, match, defines)) {
            std::string name;
            for (const std::string& scope : scopes) name += scope + "::";
            types.push_back(name + match.str(1));
        }
    }
    return types;
}

}  // namespace

std::vector<std::string> twin_types(const std::map<std::string, std::string>& sources) {
    std::map<std::string, std::string> places;
    std::vector<std::string> found;
    for (const auto& [path, text] : sources) {
        for (const std::string& type : types_in(text)) {
            const auto [first, is_new] = places.try_emplace(type, path);
            if (is_new) continue;
            found.push_back(fmt::format("{}: {} is defined in {}, too: give one another name", path,
                                        type, first->second));
        }
    }
    return found;
}

}  // namespace shardstone::validation
