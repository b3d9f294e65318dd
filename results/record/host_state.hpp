// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace shardstone::results {

/// Where the kernel tells of itself; elsewhere in a test.
struct HostFiles {
    std::filesystem::path proc = "/proc";
    std::filesystem::path sys = "/sys";
};

/// What may change on a machine from one hour to the next: "clock" (governor, most_mhz, mhz; what
/// the kernel does not say is absent), "memory_bytes" (what the kernel manages now; it varies on
/// virtual machines), "available_memory_bytes", "network_devices" (list of {name, mbit_per_s} and
/// {name, infiniband, rate}, loopback left out). Local.
nlohmann::json host_state(const HostFiles& files = {});

/// The hardware threads that this process may run on, "0-3,8". Local.
std::string usable_cpus();

}  // namespace shardstone::results
