// SPDX-License-Identifier: BSD-3-Clause
// The report's section on nodes and devices: first where nodes differ, then what they are made of.
#include <fmt/format.h>

#include <algorithm>

#include "results/record/nature.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/topology_in_words.hpp"

namespace shardstone::results {

namespace {

std::string verdict_of(const AsymmetryRow& row) {
    return row.bends > 0.0 ? "bends measurements" : "note";
}

/// Why and how to see it stand below, over the whole width: they are sentences.
std::string asymmetries_table(const Source& source, const std::vector<AsymmetryRow>& rows) {
    HtmlTable table({"Where", "Found", "Verdict"});
    table.tell_scripts({source.file(), "asymmetries", {"host", "found", "bends"}, {}});
    for (const AsymmetryGroup& group : grouped(rows)) {
        const std::string doubt =
            group.row.decided > 0.0 ? "" : " Either may be odd: neither is that of most nodes.";
        table.add_row({group.where, in_words(group.row), verdict_of(group.row)},
                      fmt::format("Why: {}.{} See: {}", group.row.why, doubt, group.row.command));
    }
    return table.empty() ? "" : titled_table(source, source.file() + ": asymmetries", table);
}

std::string nodes_table(const Source& source, const std::vector<NodeRow>& rows) {
    HtmlTable table({"Nodes", "Each"});
    for (const NodeGroup& group : grouped(rows)) table.add_row({group.where, in_words(group.row)});
    return table.empty() ? "" : titled_table(source, source.file() + ": nodes", table);
}

/// "Asymmetric: 2 findings bend measurements; the first: node 3 (cn04): memory: ...".
void add_finding(const Source& source, const std::vector<AsymmetryRow>& rows, double nodes,
                 Section& section) {
    auto groups = grouped(rows);
    std::erase_if(groups, [](const AsymmetryGroup& group) { return !(group.row.bends > 0.0); });
    const std::string origin =
        root_of_files(source.record).empty() ? "" : "Described by files, not found: ";
    if (!groups.empty()) {
        section.findings.push_back(
            {fmt::format("{}Asymmetric: {} would bend measurements; the first: {}: {}.", origin,
                         plural(static_cast<double>(groups.size()), "difference"),
                         groups.front().where, in_words(groups.front().row)),
             {&source}});
    } else if (nodes > 1.0) {
        section.findings.push_back(
            {fmt::format("{}Symmetric: {} are alike in all that bends measurements.", origin,
                         plural(nodes, "node")),
             {&source}});
    }
}

/// The files behind another root are of other machines than those that the record names.
std::string origin_of_files(const Source& source) {
    const std::string root = root_of_files(source.record);
    return root.empty()
               ? ""
               : paragraph(source.file() + ": read from files below " + root +
                           ", an image of other machines, not from the machines of the run.");
}

}  // namespace

std::optional<Section> topology_section(const std::vector<Source>& sources) {
    for (const auto& read : {with_rows<AsymmetryRow>(sources), with_rows<DeviceRow>(sources),
                             with_rows<DeviceLinkRow>(sources), with_rows<FactRow>(sources)}) {
        static_cast<void>(read);  // those without rows count as shown
    }
    const auto shown = with_rows<NodeRow>(sources);
    if (shown.empty()) return std::nullopt;
    Section section{"topology", "Nodes and devices"};
    section.lead =
        "What the nodes are made of, as the kernel, hwloc and NVML show it, and where they differ. "
        "Rates of ports and links are nominal, not measured. An asymmetry bends measurements if a "
        "collective or a step waits for the node that has it.";
    for (const Source* source : shown) {
        const auto asymmetries = rows<AsymmetryRow>(*source);
        const auto nodes = rows<NodeRow>(*source);
        add_finding(*source, asymmetries, static_cast<double>(nodes.size()), section);
        section.body += origin_of_files(*source) + asymmetries_table(*source, asymmetries) +
                        nodes_table(*source, nodes) +
                        whole_table<DeviceRow>(*source, source->file() + ": devices") +
                        whole_table<DeviceLinkRow>(*source, source->file() + ": paths of GPUs") +
                        whole_table<FactRow>(*source, source->file() + ": facts compared");
    }
    return section;
}

}  // namespace shardstone::results
