// SPDX-License-Identifier: BSD-3-Clause
// The report's section on the machines, and on how far measured peaks of one machine are apart.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "kernels/base/markup.hpp"
#include "results/record/nature.hpp"
#include "results/report/binding_table.hpp"
#include "results/report/html.hpp"
#include "results/report/machine_peaks.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/machine.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;
using Sources = std::vector<const Source*>;

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

/// What the records say of one thing, each answer once.
template <class Text>
std::string answers(const Sources& sources, Text&& text) {
    std::vector<std::string> all;
    for (const Source* source : sources) {
        std::string answer = text(*source);
        if (!answer.empty() && std::ranges::find(all, answer) == all.end()) {
            all.push_back(std::move(answer));
        }
    }
    std::string joined;
    for (const auto& answer : all) joined += (joined.empty() ? "" : "; ") + answer;
    return joined;
}

/// A virtual machine's memory varies from run to run: the range that was seen.
std::string memory_text(const Sources& sources) {
    std::set<double> seen;
    for (const Source* source : sources) {
        const json machine = source->record.environment.value("machine", json::object());
        seen.insert(machine.value("memory_bytes", 0.0));
    }
    const std::string least = size_text(*seen.begin()), most = size_text(*seen.rbegin());
    return least == most ? least : least + " to " + most;
}

std::string cores_text(const Source& source) {
    const json machine = source.record.environment.value("machine", json::object());
    return fmt::format("{} in {}, {}, {}", machine.value("cores", 0),
                       plural(machine.value("packages", 0), "package"),
                       plural(machine.value("hardware_threads", 0), "hardware thread"),
                       plural(machine.value("numa_nodes", 0), "NUMA node"));
}

/// "8 GPUs in use: NVIDIA H200; CUDA driver 13.0, NCCL 2.28.9".
std::string gpus_text(const Source& source) {
    const std::string names = accelerators_of(source);
    const json used = source.record.environment.value("gpus", json::object());
    if (!used.contains("different")) return names;
    const json versions = used.value("software", json::object());
    std::vector<std::string> software;
    for (const auto& [name, version] : versions.items()) {
        software.push_back(name + " " + (version.is_string() ? version.get<std::string>() : ""));
    }
    return fmt::format("{} in use: {}; {}", plural(used.value("different", 0.0), "GPU"), names,
                       fmt::join(software, ", "));
}

std::string machine_table(const Sources& sources) {
    HtmlTable table({"", ""});
    const auto row = [&](const char* name, const std::string& text) {
        if (!text.empty()) table.add_row({name, text});
    };
    const auto at = [&](const char* pointer) {
        return answers(sources,
                       [&](const Source& source) { return environment_text(source, pointer); });
    };
    const auto object = [&](const char* key) {
        return answers(sources, [&](const Source& source) {
            return object_text(source.record.environment.value(key, json::object()));
        });
    };
    row("Processor", at("/machine/cpu"));
    row("Cores", answers(sources, cores_text));
    row("GPUs", answers(sources, gpus_text));
    row("Caches", answers(sources, [](const Source& source) {
            return caches_text(source.record.environment.value("machine", json::object()));
        }));
    row("Memory", memory_text(sources));
    row("Kernel", at("/machine/kernel"));
    row("MPI", at("/mpi"));
    row("Compiler", at("/build/compiler"));
    row("Build", answers(sources, [](const Source& source) {
            return fmt::format("{}, -march={}", environment_text(source, "/build/type"),
                               environment_text(source, "/build/architecture"));
        }));
    row("Libraries", object("libraries"));
    row("Environment variables", object("variables"));
    return table.html() + origin_html(sources);
}

/// What its cores were measured to do at best: the least and the greatest reading.
std::string peaks_table(const std::vector<PeakRange>& ranges) {
    HtmlTable table({"Peak rate", "From", "by", "To", "by", "Ratio", "Records"});
    for (const PeakRange& range : ranges) {
        table.add_row({range.least().quantity, range.least().text(), range.least().source->file(),
                       range.greatest().text(), range.greatest().source->file(),
                       digits_text(range.factor(), 3),
                       count_text(static_cast<double>(range.peaks.size()))});
    }
    return table.empty() ? "" : table.html();
}

/// One machine by its name was not one machine by its measure: it was shared, throttled, or
/// changed.
void add_peak_findings(const std::vector<PeakRange>& ranges, Section& section) {
    for (const PeakRange& range : ranges) {
        if (!range.apart()) continue;
        section.findings.push_back(
            {fmt::format("The machine was not the same in all records: the {} ranges from {} ({}) "
                         "to {} ({}), a factor of {}. Ratios between such records are marked, "
                         "efficiencies omitted.",
                         range.least().quantity, range.least().text(), range.least().source->file(),
                         range.greatest().text(), range.greatest().source->file(),
                         digits_text(range.factor(), 3)),
             {range.least().source, range.greatest().source}});
    }
}

/// The records by machine, in the order given.
std::vector<Sources> by_machine(const std::vector<Source>& sources) {
    std::vector<Sources> machines;
    for (const Source& source : sources) {
        const auto known = std::ranges::find_if(machines, [&](const Sources& machine) {
            return machine_of(*machine.front()) == machine_of(source);
        });
        auto& machine = known == machines.end() ? machines.emplace_back() : *known;
        machine.push_back(&source);
    }
    return machines;
}

/// A record's environment is of the machine that ran the command, whatever it read.
std::string described_by(const Source& source) {
    return root_of_files(source.record).empty()
               ? machine_name(source)
               : "Not one of the " + machine_name(source) + ", but the one that read these";
}

}  // namespace

std::optional<Section> machine_section(const std::vector<Source>& sources) {
    Section section{"machine", "Machine"};
    section.lead =
        "Descriptions of the machines in the records, each machine once; where records of one "
        "machine differ, all values.";
    for (const auto& machine : by_machine(sources)) {
        section.body += fmt::format("<h3>{}</h3>\n", escape_markup(described_by(*machine.front())));
        section.body += machine_table(machine);
        section.body += binding_table(machine);
        const auto ranges = peak_ranges(machine);
        const std::size_t before = section.findings.size();
        add_peak_findings(ranges, section);
        for (std::size_t i = before; i < section.findings.size(); ++i) {
            section.body += paragraph(section.findings[i].sentence);
        }
        section.body += peaks_table(ranges);
    }
    for (const Source* source : with_rows<MachineRow>(sources)) {
        section.body += paragraph(
            fmt::format("{}: the best of {} calls.", source->file(),
                        count_text(static_cast<double>(rows<MachineRateRow>(*source).size()))));
        section.body +=
            whole_table<MachineRow>(*source, "Peak rates of one core, " + source->file());
    }
    return section;
}

}  // namespace shardstone::results
