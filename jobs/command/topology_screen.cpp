// SPDX-License-Identifier: BSD-3-Clause
// What `topology` prints: differences between nodes before anything else, then nodes and devices.
#include "jobs/command/topology_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "kernels/base/units.hpp"
#include "results/schema/topology_in_words.hpp"

namespace shardstone::command {

namespace {

using results::DeviceRow;

void print_group(const results::AsymmetryGroup& group) {
    fmt::print("  {}: {}\n      why: {}\n      see: {}\n", group.where, in_words(group.row),
               group.row.why, group.row.command);
    if (group.row.decided == 0.0) {
        fmt::print("      no value is that of more than half of the nodes: either may be odd\n");
    }
}

void print_asymmetries(const benchmarks::Discovery& discovery) {
    const auto groups = results::grouped(discovery.asymmetries);
    const auto print_those = [&](const char* title, bool bends) {
        const auto of_kind = [&](const auto& group) { return (group.row.bends > 0.0) == bends; };
        const auto count = std::ranges::count_if(groups, of_kind);
        if (count == 0) return;
        fmt::print("{}: {}\n", title, count);
        for (const auto& group : groups) {
            if (of_kind(group)) print_group(group);
        }
    };
    print_those("Asymmetries that bend measurements", true);
    print_those("Notes", false);
    if (!groups.empty()) return;
    fmt::print("{}", discovery.nodes.size() > 1
                         ? "No asymmetries: the nodes are alike in all that was compared.\n"
                         : "One node, and nothing odd in it: there is none to compare it with.\n");
}

std::string rate_of(const DeviceRow& device) {
    if (device.kind == "gpu") {
        return std::isfinite(device.memory_bytes)
                   ? format_size(static_cast<std::int64_t>(device.memory_bytes))
                   : "memory unknown";
    }
    if (device.state != "up") return "down";
    if (!std::isfinite(device.rate_gb_s)) return "rate not reported";
    constexpr double bits_per_byte = 8.0;
    return fmt::format("{:g} Gb/s", device.rate_gb_s * bits_per_byte);
}

std::string lanes_of(const DeviceRow& device) {
    if (!std::isfinite(device.pcie_width)) return "";
    std::string text = fmt::format("PCIe x{:g}", device.pcie_width);
    if (std::isfinite(device.pcie_gt_s)) text += fmt::format(" at {:g} GT/s", device.pcie_gt_s);
    return text;
}

std::string nvlinks_of(const DeviceRow& device) {
    if (!(device.links > 0.0)) return "";
    std::string text = fmt::format("{:g} NVLinks", device.links);
    if (std::isfinite(device.link_rate_gb_s)) {
        text += fmt::format(" of {:g} GB/s", device.link_rate_gb_s);
    }
    return text;
}

void print_device(const DeviceRow& device) {
    std::string line = fmt::format("  {:<12}", device.name);
    const std::string node =
        std::isfinite(device.numa_node) ? fmt::format("NUMA node {:g}", device.numa_node) : "";
    for (const std::string& part : {device.model, device.protocol, rate_of(device),
                                    nvlinks_of(device), lanes_of(device), node}) {
        if (!part.empty()) line += (line.ends_with(' ') ? "" : ", ") + part;
    }
    fmt::print("{}\n", line);
}

/// "4 x NVLink to gpu, 8 x PIX to nic".
std::string paths_of(const benchmarks::Discovery& discovery, double node) {
    std::map<std::string, int> counts;
    for (const auto& link : discovery.found.links) {
        if (link.node == node && !link.path.empty()) ++counts[link.path + " to " + link.to_kind];
    }
    std::string text;
    for (const auto& [path, count] : counts) {
        text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, path);
    }
    return text;
}

}  // namespace

void print_discovery(const benchmarks::Discovery& discovery) {
    print_asymmetries(discovery);
    for (const auto& group : results::grouped(discovery.nodes)) {
        fmt::print("\n{}: {}\n", group.where, in_words(group.row));
        for (const DeviceRow& device : discovery.found.devices) {
            if (device.node == group.row.node) print_device(device);
        }
        const std::string paths = paths_of(discovery, group.row.node);
        if (!paths.empty()) fmt::print("  paths of GPUs: {}\n", paths);
    }
}

}  // namespace shardstone::command
