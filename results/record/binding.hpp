// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "results/record/host_state.hpp"

namespace shardstone::results {

/// What this process is really bound to, whatever the launcher was asked for: "cpus" (hardware
/// threads, "0-3,8"), "numa_nodes" (those that hold any of them, "0"; empty if the kernel does not
/// report it), "variables" (those that are set of a short list which choose GPUs and NICs). Local.
nlohmann::json binding_of_process(const HostFiles& files = {});

/// The numbers in a list of the kernel, "0-3,8". What is no list has none.
std::set<int> numbers_in_list(const std::string& list);

}  // namespace shardstone::results
