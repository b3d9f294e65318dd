// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <set>

#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

std::string caches_text(const json& machine) {
    std::vector<std::string> words;
    for (const auto& cache : machine.value("caches", json::array())) {
        if (cache.value("type", "") == "instruction") continue;
        words.push_back(fmt::format("{} x {} L{}", cache.value("count", 0),
                                    size_text(cache.value("size_bytes", 0.0)),
                                    cache.value("level", 0)));
    }
    return listed(words);
}

std::string object_text(const json& object) {
    std::vector<std::string> words;
    for (const auto& [key, value] : object.items()) {
        words.push_back(key + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return words.empty() ? "none" : listed(words);
}

std::string machine_table(const Source& source) {
    const auto& environment = source.record.environment;
    const json machine = environment.value("machine", json::object());
    HtmlTable table({"", ""});
    const auto row = [&](const char* name, const std::string& text) {
        if (!text.empty()) table.add_row({name, text});
    };
    row("Processor", environment_text(source, "/machine/cpu"));
    row("Cores", fmt::format("{} in {}, {}", machine.value("cores", 0),
                             plural(machine.value("packages", 0), "package"),
                             plural(machine.value("hardware_threads", 0), "hardware thread")));
    row("Caches", caches_text(machine));
    row("Memory", fmt::format("{} in {}", size_text(machine.value("memory_bytes", 0.0)),
                              plural(machine.value("numa_nodes", 0), "NUMA node")));
    row("Kernel", environment_text(source, "/machine/kernel"));
    row("MPI", environment_text(source, "/mpi"));
    row("Compiler", environment_text(source, "/build/compiler"));
    row("Build", fmt::format("{}, -march={}", environment_text(source, "/build/type"),
                             environment_text(source, "/build/architecture")));
    row("Libraries", object_text(environment.value("libraries", json::object())));
    row("Environment variables", object_text(environment.value("variables", json::object())));
    return table.html();
}

/// What the probe measured, where there was one.
std::string probe_table(const Source& source) {
    HtmlTable table({"Measured", "Best", "All calls"});
    const auto& names = texts(source, "machine", "quantity");
    const auto& units = texts(source, "machine", "unit");
    const auto& values = numbers(source, "machine", "value");
    const auto& low = numbers(source, "machine", "low");
    const auto& high = numbers(source, "machine", "high");
    for (std::size_t i = 0; i < names.size(); ++i) {
        table.add_row({names[i], digits_text(values[i], 3) + " " + units[i],
                       fmt::format("{} to {}", digits_text(low[i], 3), digits_text(high[i], 3))});
    }
    return table.html();
}

}  // namespace

std::optional<Section> machine_section(const std::vector<Source>& sources) {
    if (sources.empty()) return std::nullopt;
    Section section{"machine", "Machine", {}, {}, {}, {}, {}};
    section.lead = "What the records say of the machines they were taken on.";
    std::set<std::string> seen;
    for (const Source& source : sources) {
        std::string table = machine_table(source);
        if (!seen.insert(table).second) continue;
        section.body +=
            fmt::format("<h3>{}</h3>\n", escape_html(environment_text(source, "/machine/host")));
        section.body += table;
    }
    for (const Source* source : with_table(sources, "machine"))
        section.body += probe_table(*source);
    return section;
}

}  // namespace shardstone::results
