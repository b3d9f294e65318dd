// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/record/host_state.hpp"

namespace shardstone::results {

/// Error counters of a node since it was booted, by name: "cpu3 core_throttle_count", "mc0
/// ce_count" (corrected errors of memory), "eth0 rx_errors", "mlx5_0/1 symbol_error", "0000:3b:00.0
/// aer_dev_correctable" (errors on PCIe).
using HealthCounters = std::map<std::string, std::int64_t>;

/// Counters that the kernel shows to this user. For network devices, only hardware ones. Local.
HealthCounters read_health(const HostFiles& files = {});

struct HealthChange {
    std::string counter;
    std::int64_t before = 0;
    std::int64_t after = 0;
    /// Throttling and errors fail a run's check; drops and retransmissions, which occur in a
    /// healthy network, are only reported.
    bool fails = false;
};

/// Counters present in both that differ, in the order of their names. Pure.
std::vector<HealthChange> health_changes(const HealthCounters& before, const HealthCounters& after);

/// Those that fail a run, of a record's environment ("health": list of {node, counter, before,
/// after, fails}), each in words: "cn07: mlx5_0/1 symbol_error went from 3 to 9". What is none of
/// that is left out. Pure.
std::vector<std::string> failed_health(const nlohmann::json& environment);

}  // namespace shardstone::results
