// SPDX-License-Identifier: BSD-3-Clause
// Why a difference between nodes matters, whether it bends measurements, and how to see it there.
#include "results/inventory/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

/// Memory that the kernel manages differs by what firmware keeps and by a virtual machine's
/// balloon.
constexpr double memory_tolerance = 0.02;
constexpr double clock_tolerance = 0.01;

constexpr std::array rules{
    Rule{"ranks", "", true, 0.0, "nodes with more ranks share their NICs and memory among more",
         "srun hostname | sort | uniq -c"},
    Rule{"processor", "", true, 0.0,
         "every step waits for the slowest rank, and the last digits of sums may differ", "lscpu"},
    Rule{
        "memory", "", true, memory_tolerance,
        "a missing or failed module also takes memory channels, and the least node limits the plan",
        "grep MemTotal /proc/meminfo; dmidecode -t memory"},
    Rule{"clock", "governor", true, 0.0, "a governor that saves power lowers clocks between steps",
         "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"},
    Rule{"clock", "", true, 0.0, "cores with a lower limit are slower in every kernel",
         "cpupower frequency-info; grep . /sys/devices/system/cpu/cpufreq/boost "
         "/sys/devices/system/cpu/intel_pstate/no_turbo"},
    Rule{"gpu", "GPUs", true, 0.0, "a missing, smaller or other GPU limits all", "nvidia-smi -L"},
    Rule{"gpu", "highest clock", true, clock_tolerance, "a GPU with a lower limit is slower",
         "nvidia-smi -q -d CLOCK"},
    Rule{"gpu", "power limit", true, clock_tolerance,
         "a GPU with less power clocks down under load", "nvidia-smi -q -d POWER"},
    Rule{"gpu", "NVLinks", true, 0.0,
         "collectives inside the node run at the rate of the fewest links",
         "nvidia-smi nvlink --status"},
    Rule{"gpu", "settings", true, 0.0,
         "ECC costs memory bandwidth on some GPUs, MIG cuts a GPU up, and without persistence the "
         "driver starts anew for each run",
         "nvidia-smi -q"},
    Rule{
        "gpu", "PCIe", true, 0.0, "fewer or slower lanes slow copies to hosts, NICs and other GPUs",
        "nvidia-smi --query-gpu=pci.bus_id,pcie.link.width.current,pcie.link.gen.max --format=csv"},
    Rule{"gpu", "paths", true, 0.0,
         "a NIC or GPU behind another bridge is farther away, so ranks use other links",
         "nvidia-smi topo -m"},
    Rule{"gpu", "firmware", false, 0.0, "versions behave differently under load",
         "nvidia-smi --query-gpu=name,vbios_version --format=csv"},
    Rule{"nic", "ports", true, 0.0,
         "a port that is missing, down or slower limits every collective",
         "ibstat; ip -br link; ethtool DEVICE"},
    Rule{"nic", "MTU", true, 0.0, "small packets cost more processor time, and peers must agree",
         "ip link"},
    Rule{"nic", "PCIe", true, 0.0, "fewer or slower lanes keep a NIC below its rate",
         "lspci -vv | grep -e LnkCap: -e LnkSta:"},
    Rule{"nic", "firmware", false, 0.0, "versions treat congestion and errors differently",
         "cat /sys/class/infiniband/*/fw_ver"},
    Rule{"software", "kernel", true, 0.0,
         "schedulers, drivers and mitigations of kernels take different times", "uname -r"},
    Rule{"software", "", true, 0.0, "versions choose other algorithms and protocols",
         "mpichversion; cat /sys/module/*/version; nvidia-smi"},
    Rule{"library", "", true, 0.0, "another build of a library takes other paths, or other digits",
         "ldd $(command -v shardstone) | grep {subject}"},
    Rule{"variable", "", true, 0.0, "it changes how libraries compute, bind and communicate",
         "printenv {subject}"},
    Rule{"setting", "", true, 0.0, "the kernel places pages and processes differently",
         "grep . /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/kernel/numa_balancing "
         "/sys/devices/system/cpu/smt/control"},
    Rule{"firmware", "", false, 0.0, "firmware sets memory timings, power limits and PCIe",
         "dmidecode -t bios; grep -m1 microcode /proc/cpuinfo"},
    Rule{"counter", "", true, 0.0,
         "errors are corrected and sent again, which takes time, until they are not",
         "grep . /sys/class/net/*/statistics/*errors | grep -v ':0$'"},
};

}  // namespace

const Rule& rule_for(std::string_view kind, std::string_view subject) {
    const auto found = std::ranges::find_if(rules, [&](const Rule& rule) {
        return rule.kind == kind && (rule.subject == subject || rule.subject.empty());
    });
    require(found != rules.end(), [&] {
        return fmt::format("kind '{}' of {}: it is none by which nodes are compared", kind,
                           subject);
    });
    return *found;
}

int order_of_kind(std::string_view kind) {
    return static_cast<int>(std::ranges::find(rules, kind, &Rule::kind) - rules.begin());
}

std::string command_of(const Rule& rule, std::string_view subject) {
    std::string command(rule.command);
    constexpr std::string_view place = "{subject}";
    const auto at = command.find(place);
    return at == std::string::npos ? command : command.replace(at, place.size(), subject);
}

}  // namespace shardstone::results
