// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace shardstone {

/// What a limit leaves, and which limit it is, in words for an error: "memory.max of cgroup
/// /jobs/7", "RLIMIT_AS (ulimit -v)", "SLURM_MEM_PER_NODE".
struct MemoryLimit {
    std::int64_t bytes = 0;
    std::string name;
};

/// The tightest of the limits of each kind; nothing where none of them can be read.
struct AvailableMemory {
    std::optional<MemoryLimit> of_node;     ///< for all processes of this job on this node together
    std::optional<MemoryLimit> of_process;  ///< for each of them

    /// The tighter of the two for one of so many processes that share the node evenly.
    std::optional<MemoryLimit> for_each_of(int processes) const;
};

/// Bytes that can still be taken. Of the node: what the kernel calls available (MemAvailable), what
/// each memory cgroup above this process, of version 1 or 2, leaves free, where what it holds of
/// files counts as free, and what Slurm gave the job (SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU). Of
/// the process: its limits of address space and of data. `root` is where /proc and /sys are found.
/// Local.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

}  // namespace shardstone
