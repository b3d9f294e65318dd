// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace shardstone::results {

/// Locations of the kernel's information; replaced in a test.
struct HostFiles {
    std::filesystem::path proc = "/proc";
    std::filesystem::path sys = "/sys";
};

/// Properties of a machine that may change over time: "clock" (governor, most_mhz, mhz; absent if
/// the kernel does not report it), "memory_bytes" (managed by the kernel now; it varies on virtual
/// machines), "available_memory_bytes", "network_devices" (list of {name, mbit_per_s} and {name,
/// infiniband, rate}, loopback left out). Local.
nlohmann::json host_state(const HostFiles& files = {});

/// The hardware threads that this process may run on, "0-3,8". Local.
std::string usable_cpus();

}  // namespace shardstone::results
