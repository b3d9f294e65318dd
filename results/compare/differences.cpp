// SPDX-License-Identifier: BSD-3-Clause
// Environment and settings of records as flat lists of properties, and where two sides differ.
#include "results/compare/differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr const char* environment = "environment";
constexpr const char* settings = "settings";

std::string list_text(const json& list);

/// Without quotes and other marks of JSON; control characters stay escaped.
std::string text_of(const json& value) {
    if (value.is_array()) return list_text(value);
    if (value.is_null()) return not_set;
    const std::string text = value.dump();
    return value.is_string() ? text.substr(1, text.size() - 2) : text;
}

/// "4, 8", and "16 x 0, 16 x 1" of what ranks have in turn.
std::string list_text(const json& list) {
    std::string text;
    for (auto first = list.begin(); first != list.end();) {
        const auto last =
            std::find_if(first, list.end(), [&](const json& one) { return one != *first; });
        const std::string word = first->is_array() ? "(" + text_of(*first) + ")" : text_of(*first);
        const auto times = std::distance(first, last);
        text += text.empty() ? "" : ", ";
        text += times > 1 ? fmt::format("{} x {}", times, word) : word;
        first = last;
    }
    return text;
}

/// Some of them may be missing.
bool holds_objects(const json& document) {
    const auto fits = [](const json& one) { return one.is_object() || one.is_null(); };
    return document.is_array() && std::ranges::all_of(document, fits) &&
           std::ranges::any_of(document, &json::is_object);
}

/// One list for each member, of a list of objects.
json by_members(const json& list) {
    json members = json::object();
    for (const json& one : list) {
        if (one.is_null()) continue;
        for (const auto& [name, value] : one.items()) members[name] = json::array();
    }
    for (auto& [name, values] : members.items()) {
        for (const json& one : list) {
            values.push_back(one.is_null() ? json() : one.value(name, json()));
        }
    }
    return members;
}

/// Virtual machines lend and take back a few MiB.
std::string rounded_memory(const json& value) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    return value.is_number() ? fmt::format("{:.1f} GiB", value.get<double>() / gib)
                             : text_of(value);
}

bool varies_by_itself(const std::string& name) {
    constexpr std::array names{"machine.available_memory_bytes",
                               "machine.clock.mhz",
                               "variables.SLURM_JOB_ID",
                               "preflight",
                               "leftovers_cleared",
                               "health"};
    return std::ranges::find(names, name) != names.end();
}

/// Options that do not apply are null; a version that lacks them says the same.
bool says_nothing(const json& value) {
    return value.is_null() || value == "" || (value.is_array() && value.empty());
}

/// Objects become paths, also those in lists; other lists stay one value.
void add_leaves(const json& document, const std::string& name,
                std::map<std::string, std::set<std::string>>& leaves) {
    if (varies_by_itself(name) || says_nothing(document)) return;
    if (holds_objects(document)) {
        add_leaves(by_members(document), name, leaves);
    } else if (document.is_object()) {
        for (const auto& [member, value] : document.items()) {
            add_leaves(value, name.empty() ? member : name + "." + member, leaves);
        }
    } else {
        leaves[name].insert(name == "machine.memory_bytes" ? rounded_memory(document)
                                                           : text_of(document));
    }
}

void put(const json& document, const std::string& group, Properties& properties) {
    std::map<std::string, std::set<std::string>> leaves;
    add_leaves(document, "", leaves);
    for (const auto& [name, values] : leaves) {
        properties[{group, name}] = fmt::format("{}", fmt::join(values, "; "));
    }
}

/// Machines of all nodes, or that of the program of a command without ranks.
void put_machines(const json& machines, Properties& properties) {
    std::map<std::string, std::set<std::string>> leaves;
    for (const json& machine : machines) add_leaves(machine, "machine", leaves);
    for (const auto& [name, values] : leaves) {
        properties[{environment, name}] = fmt::format("{}", fmt::join(values, "; "));
    }
}

std::string values_of(const std::vector<const Properties*>& runs, const PropertyName& name) {
    std::set<std::string> values;
    for (const Properties* properties : runs) {
        const auto found = properties->find(name);
        values.insert(found == properties->end() ? not_set : found->second);
    }
    return fmt::format("{}", fmt::join(values, "; "));
}

}  // namespace

Properties properties_of(const Record& record, const std::vector<std::string>& scope) {
    Properties properties;
    json rest = record.environment;
    json machines = rest.contains("machines") ? rest.at("machines") : json::array();
    if (machines.empty() && rest.contains("machine")) machines.push_back(rest.at("machine"));
    for (const char* name : {"machine", "machines"}) rest.erase(name);
    rest["program"]["version"] = record.identity.value("version", "");
    put(rest, environment, properties);
    put_machines(machines, properties);
    json chosen = record.configuration;
    chosen.erase("prediction");  // stands beside what is measured, and changes none of it
    for (const auto& name : scope) chosen.erase(name);
    put(chosen, settings, properties);
    return properties;
}

std::vector<Difference> differences_between(const std::vector<const Properties*>& a,
                                            const std::vector<const Properties*>& b) {
    std::set<PropertyName> names;
    for (const auto* side : {&a, &b}) {
        for (const Properties* properties : *side) {
            for (const auto& [name, value] : *properties) names.insert(name);
        }
    }
    std::vector<Difference> found;
    for (const PropertyName& name : names) {
        Difference one{name, values_of(a, name), values_of(b, name)};
        if (one.a != one.b) found.push_back(std::move(one));
    }
    return found;
}

}  // namespace shardstone::results
