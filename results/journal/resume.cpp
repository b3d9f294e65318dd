// SPDX-License-Identifier: BSD-3-Clause
// A new run takes over an earlier one's record, if build, machines and options are the same.
#include "results/journal/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/base/error.hpp"
#include "results/record/environment.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// Null where it is not there, or the document, which others may have written, is no object.
json field(const json& document, const std::string& name) {
    return document.contains(name) ? document.at(name) : json();
}

/// Of the machines (of all nodes, or of the one of a command without ranks) what does not change
/// from one run to the next, as free memory and clocks do.
json lasting(const json& environment) {
    json machines = field(environment, "machines");
    if (machines.is_null()) machines = json::array({field(environment, "machine")});
    json lasting = json::array();
    for (const json& machine : machines) {
        lasting.push_back({field(machine, "host"), field(machine, "cpu"), field(machine, "cores"),
                           field(machine, "usable_threads")});
    }
    return lasting;
}

void require_equal(const json& now, const json& before, const std::string& what,
                   const std::string& earlier_name) {
    require(now == before, [&] {
        return fmt::format("'{}' cannot be continued: its {}: {} then, {} now", earlier_name, what,
                           before.dump(), now.dump());
    });
}

/// Emulated GPUs are held against the earlier ones as real ones are, not by how they were set up.
json variables_of(const json& environment) {
    json variables = chosen_variables(environment);
    for (auto one = variables.begin(); one != variables.end();) {
        one = one.key().starts_with("SHARDSTONE_EMULATED_") ? variables.erase(one) : std::next(one);
    }
    return variables;
}

/// What was noticed before and during the earlier run is true of the whole.
void take_over_notices(json& environment, const json& earlier) {
    for (const char* name : {"preflight", "health"}) {
        json all = field(earlier, name);
        if (!all.is_array()) continue;
        for (const json& notice : field(environment, name)) all.push_back(notice);
        environment[name] = std::move(all);
    }
}

/// Of GPUs, what a run that goes on with another has to have as well: others of the node will do.
json kind_of(json gpus) {
    for (const char* name : {"addresses", "earlier_addresses"}) gpus.erase(name);
    return gpus;
}

/// Those that earlier parts were measured on, run by run, where they were others.
void note_earlier_addresses(json& gpus, const json& earlier) {
    json all = earlier.value("earlier_addresses", json::array());
    const json before = field(earlier, "addresses");
    if (before.is_array() && before != field(gpus, "addresses")) all.push_back(before);
    if (!all.empty()) gpus["earlier_addresses"] = std::move(all);
}

/// What is left of a run may need no GPU.
void take_over_gpus(json& environment, const json& earlier) {
    if (environment.contains("gpus") || !earlier.contains("gpus")) return;
    environment["gpus"] = earlier.at("gpus");
    environment["machine"]["accelerators"] = field(field(earlier, "machine"), "accelerators");
}

}  // namespace

void continue_record(Record& begun, const Record& earlier, const std::string& earlier_name,
                     const std::vector<std::string>& may_differ) {
    require_equal(begun.kind, earlier.kind, "kind", earlier_name);
    for (const char* name : {"ranks", "nodes", "declared_nodes", "mpi", "mpi_device", "build"}) {
        require_equal(field(begun.environment, name), field(earlier.environment, name), name,
                      earlier_name);
    }
    require_equal(variables_of(begun.environment), variables_of(earlier.environment),
                  "environment variables", earlier_name);
    require_equal(lasting(begun.environment), lasting(earlier.environment),
                  "machines (host, processor, cores, usable threads)", earlier_name);
    if (begun.environment.contains("gpus") && earlier.environment.contains("gpus")) {
        json& gpus = begun.environment.at("gpus");
        const json& before = earlier.environment.at("gpus");
        require_equal(kind_of(gpus), kind_of(before), "GPUs and their software", earlier_name);
        note_earlier_addresses(gpus, before);
    }
    for (const auto& [name, value] : begun.configuration.items()) {
        if (std::ranges::find(may_differ, name) != may_differ.end()) continue;
        require_equal(value, field(earlier.configuration, name), "option '" + name + "'",
                      earlier_name);
    }
    begun.samples = earlier.samples;
    begun.derived = earlier.derived;
    begun.verification = earlier.verification;
    take_over_notices(begun.environment, earlier.environment);
    take_over_gpus(begun.environment, earlier.environment);
    json continued = field(earlier.identity, "continues");
    if (!continued.is_array()) continued = json::array();
    const json before{{"id", field(earlier.identity, "id")},
                      {"start_time", field(earlier.identity, "start_time")}};
    continued.insert(continued.begin(), before);
    begun.identity["continues"] = std::move(continued);
}

std::string continued_in_words(const Record& record) {
    std::string words;
    for (const json& run : record.identity.value("continues", json::array())) {
        const json start = field(run, "start_time");
        words += (words.empty() ? "continues what was started " : " and ") +
                 (start.is_string() ? start.get<std::string>() : "?");
    }
    return words;
}

}  // namespace shardstone::results
