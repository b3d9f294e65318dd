// SPDX-License-Identifier: BSD-3-Clause
// The cores, NUMA nodes, GPUs and NICs that one rank may use, as the kernel and variables tell.
#include "results/record/binding.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace shardstone::results {

namespace {

constexpr std::array device_variables{"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                      "HIP_VISIBLE_DEVICES", "UCX_NET_DEVICES", "NCCL_IB_HCA"};
constexpr int most_cpus = 1 << 16;

/// 3 of "node3"; negative for other names.
int node_number(const std::string& name) {
    constexpr std::string_view before = "node";
    if (!name.starts_with(before) || name.size() == before.size()) return -1;
    const auto digits = name.substr(before.size());
    const bool whole = std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); });
    return whole && digits.size() < 6 ? std::stoi(digits) : -1;
}

std::string numa_nodes_of(const std::set<int>& cpus, const HostFiles& files) {
    std::set<int> nodes;
    std::error_code failed;
    const auto folder = files.sys / "devices" / "system" / "node";
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        const int number = node_number(entry.path().filename().string());
        if (number < 0) continue;
        std::string list;
        std::getline(std::ifstream(entry.path() / "cpulist"), list);
        const auto held = numbers_in_list(list);
        const auto is_held = [&](int cpu) { return held.contains(cpu); };
        if (std::ranges::any_of(cpus, is_held)) nodes.insert(number);
    }
    std::string text;
    for (const int node : nodes) text += (text.empty() ? "" : ",") + std::to_string(node);
    return text;
}

}  // namespace

std::set<int> numbers_in_list(const std::string& list) {
    std::set<int> numbers;
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        int first = 0, last = 0;
        const int found = std::sscanf(part.c_str(), "%5d-%5d", &first, &last);
        if (found < 1 || first < 0) return {};
        if (found == 1) last = first;
        for (int number = first; number <= std::min(last, most_cpus); ++number) {
            numbers.insert(number);
        }
    }
    return numbers;
}

nlohmann::json binding_of_process(const HostFiles& files) {
    const std::string cpus = usable_cpus();
    nlohmann::json binding{{"cpus", cpus},
                           {"numa_nodes", numa_nodes_of(numbers_in_list(cpus), files)},
                           {"variables", nlohmann::json::object()}};
    for (const char* name : device_variables) {
        if (const char* value = std::getenv(name)) binding["variables"][name] = value;
    }
    return binding;
}

}  // namespace shardstone::results
