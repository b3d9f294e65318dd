// SPDX-License-Identifier: BSD-3-Clause
// Counters of errors that stand out among the nodes of a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/base/statistics.hpp"
#include "results/inventory/asymmetries.hpp"

namespace shardstone::results {

namespace {

/// Errors since a node was booted that happen on a healthy one.
constexpr double few = 10.0;

/// Per node, the most of one counter that any of its devices has.
using Highest = std::map<std::string, std::vector<double>>;

/// "symbol_error" of "mlx5_0/1 symbol_error".
std::string counter_name(const FactRow& fact) {
    return fact.subject.substr(fact.subject.rfind(' ') + 1);
}

bool is_uncorrected(const std::string& counter) {
    return counter == "ue_count" || counter == "aer_dev_nonfatal" || counter == "aer_dev_fatal" ||
           counter == "gpu_uncorrected";
}

Highest highest_of(const Inventory& all, std::size_t nodes) {
    Highest highest;
    for (const FactRow& fact : all.facts) {
        if (fact.kind != "counter") continue;
        auto& of_nodes = highest[counter_name(fact)];
        of_nodes.resize(nodes, 0.0);
        double& most = of_nodes[static_cast<std::size_t>(fact.node)];
        most = std::max(most, fact.number);
    }
    return highest;
}

double median_of_others(std::vector<double> counts, double node) {
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(node));
    return counts.empty() ? 0.0 : median(counts);
}

/// The file that the counter is read from, or for a GPU the tool that has it.
std::string command_for(const std::string& subject) {
    const auto space = subject.find(' ');
    const std::string device = subject.substr(0, space), counter = subject.substr(space + 1);
    const auto cat = [&](const std::string& folder) {
        return fmt::format("cat /sys/{}/{}", folder, counter);
    };
    if (counter.starts_with("gpu_")) return "nvidia-smi -q -d ECC -i " + device;
    if (counter.starts_with("aer_")) return cat("bus/pci/devices/" + device);
    if (device.starts_with("mc")) return cat("devices/system/edac/mc/" + device);
    if (counter.ends_with("throttle_count")) {
        return cat("devices/system/cpu/" + device + "/thermal_throttle");
    }
    if (const auto slash = device.find('/'); slash != std::string::npos) {
        return fmt::format("grep . /sys/class/infiniband/{}/ports/{}/*counters/{}",
                           device.substr(0, slash), device.substr(slash + 1), counter);
    }
    const bool of_link = counter == "carrier_down_count";
    return cat("class/net/" + device + (of_link ? "" : "/statistics"));
}

/// The facts that stand out in one counter of one node: each core has counters of its own.
struct Odd {
    const FactRow* worst = nullptr;
    int devices = 0;
    double usual = 0.0;
};
using OddOnes = std::map<std::pair<double, std::string>, Odd>;

bool stands_out(const FactRow& fact, double usual, int nodes) {
    constexpr double many_times = 10.0;
    if (is_uncorrected(counter_name(fact))) return true;
    return nodes > 1 ? fact.number > many_times * usual : fact.number > few;
}

OddOnes odd_ones(const Inventory& all, int nodes) {
    const Highest highest = highest_of(all, static_cast<std::size_t>(nodes));
    OddOnes found;
    for (const FactRow& fact : all.facts) {
        if (fact.kind != "counter") continue;
        const std::string counter = counter_name(fact);
        const double usual = median_of_others(highest.at(counter), fact.node);
        if (!stands_out(fact, usual, nodes)) continue;
        Odd& odd = found[{fact.node, counter}];
        if (odd.worst == nullptr || fact.number > odd.worst->number) odd.worst = &fact;
        odd.usual = usual;
        ++odd.devices;
    }
    return found;
}

}  // namespace

std::vector<AsymmetryRow> odd_counters(const Inventory& all, int nodes) {
    std::vector<AsymmetryRow> rows;
    for (const auto& [place, odd] : odd_ones(all, nodes)) {
        const FactRow& worst = *odd.worst;
        const std::string others =
            odd.devices > 1 ? fmt::format(", the most of {} devices", odd.devices) : "";
        rows.push_back(asymmetry(worst.node, "counter", worst.subject,
                                 fmt::format("{:.0f} since boot{}", worst.number, others),
                                 nodes > 1 ? fmt::format("{:.3g}", odd.usual) : ""));
        rows.back().bends = is_uncorrected(place.second) || worst.number > few ? 1.0 : 0.0;
        rows.back().command = command_for(worst.subject);
    }
    return rows;
}

}  // namespace shardstone::results
