// SPDX-License-Identifier: BSD-3-Clause
// Devices that stay below what they can do, and nodes whose own cores differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "results/inventory/asymmetries.hpp"

namespace shardstone::results {

namespace {

using Rows = std::vector<AsymmetryRow>;

std::string lanes(double width) {
    return fmt::format("x{:g}", width);
}

std::string transfers(double gt_s) {
    return fmt::format("{:g} GT/s", gt_s);
}

/// Comparisons with what is not a number are false.
void add_lanes(const DeviceRow& device, Rows& rows) {
    const auto add = [&](const std::string& found, const std::string& most) {
        rows.push_back(asymmetry(device.node, device.kind, "PCIe", device.name + ": " + found,
                                 "can do " + most));
    };
    if (device.pcie_width < device.pcie_most_width) {
        add(lanes(device.pcie_width), lanes(device.pcie_most_width));
        rows.back().why = "lanes are lost to a bad slot, riser or contact, or the slot has fewer";
    }
    if (device.pcie_gt_s < device.pcie_most_gt_s) {
        add(transfers(device.pcie_gt_s), transfers(device.pcie_most_gt_s));
        rows.back().why = "the link was trained to a lower speed, or the slot is of an older kind";
        if (device.kind == "gpu") {
            rows.back().bends = 0.0;
            rows.back().why = "an idle GPU saves power like this: look again while it computes";
        }
    }
}

void add_nvlinks(const DeviceRow& gpu, Rows& rows) {
    // A GPU none of whose links is up is one without a bridge or a switch.
    if (!(gpu.links > 0.0 && gpu.links_down > 0.0)) return;
    rows.push_back(asymmetry(gpu.node, "gpu", "NVLinks",
                             fmt::format("{}: {:g} down", gpu.name, gpu.links_down),
                             fmt::format("can do {:g}", gpu.links + gpu.links_down)));
}

/// "performance on 3, powersave on 1", as host_facts() puts it.
void add_mixed_cores(const FactRow& fact, Rows& rows) {
    // Other clocks than the highest of all may be a core's own, as on hybrid processors.
    if (fact.subject != "governor" || fact.text.find(", ") == std::string::npos) return;
    rows.push_back(asymmetry(fact.node, fact.kind, fact.subject, fact.text, "one on all cores"));
}

/// Rows that all nodes have become one.
Rows without_what_all_have(const Rows& rows, int nodes) {
    const auto key = [](const AsymmetryRow& row) {
        return std::tuple(row.kind, row.subject, row.found, row.usual);
    };
    std::map<decltype(key(rows.front())), int> having;
    for (const AsymmetryRow& row : rows) ++having[key(row)];
    Rows kept;
    for (const AsymmetryRow& row : rows) {
        if (nodes < 2 || having.at(key(row)) < nodes) {
            kept.push_back(row);
        } else if (row.node == 0.0) {
            kept.push_back(row);
            kept.back().node = not_measured;
            kept.back().bends = 0.0;
        }
    }
    return kept;
}

}  // namespace

Rows devices_below_their_limits(const Inventory& all, int nodes) {
    Rows rows;
    for (const DeviceRow& device : all.devices) {
        add_lanes(device, rows);
        add_nvlinks(device, rows);
    }
    for (const FactRow& fact : all.facts) add_mixed_cores(fact, rows);
    rows = without_what_all_have(rows, nodes);
    // Where some nodes have it, find_asymmetries() names them by the others.
    std::erase_if(rows, [&](const AsymmetryRow& row) {
        return row.kind == "clock" && nodes > 1 && std::isfinite(row.node);
    });
    return rows;
}

}  // namespace shardstone::results
