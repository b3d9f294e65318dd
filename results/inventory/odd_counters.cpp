// SPDX-License-Identifier: BSD-3-Clause
// Counters of errors that stand out among the nodes of a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/base/statistics.hpp"
#include "results/inventory/asymmetries.hpp"

namespace shardstone::results {

namespace {

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

}  // namespace

std::vector<AsymmetryRow> odd_counters(const Inventory& all, int nodes) {
    constexpr double many_times = 10.0, few = 10.0;
    const Highest highest = highest_of(all, static_cast<std::size_t>(nodes));
    std::vector<AsymmetryRow> rows;
    for (const FactRow& fact : all.facts) {
        if (fact.kind != "counter") continue;
        const std::string counter = counter_name(fact);
        const double usual = median_of_others(highest.at(counter), fact.node);
        const bool uncorrected = is_uncorrected(counter), many = fact.number > few;
        const bool stands_out = nodes > 1 ? fact.number > many_times * usual : many;
        if (!uncorrected && !stands_out) continue;
        rows.push_back(asymmetry(fact.node, "counter", fact.subject,
                                 fmt::format("{:.0f} since boot", fact.number),
                                 nodes > 1 ? fmt::format("{:.3g}", usual) : ""));
        rows.back().bends = uncorrected || many ? 1.0 : 0.0;
        rows.back().command = command_for(fact.subject);
    }
    return rows;
}

}  // namespace shardstone::results
