// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace shardstone {

/// Memory left by a limit, and the name of the limit in words for an error: "memory.max of cgroup
/// /jobs/7", "RLIMIT_AS (ulimit -v)", "SLURM_MEM_PER_NODE".
struct MemoryLimit {
    std::int64_t bytes = 0;
    std::string name;
};

/// The tightest of the limits of each kind; nothing if none of them can be read.
struct AvailableMemory {
    std::optional<MemoryLimit> of_node;     ///< for all processes of this job on this node together
    std::optional<MemoryLimit> of_process;  ///< for each of them

    /// The tighter of the two for one of this many processes that share the node evenly.
    std::optional<MemoryLimit> for_each_of(int processes) const;
};

/// Bytes that can still be allocated. Of the node: the kernel's MemAvailable, the memory left by
/// each memory cgroup above this process (version 1 or 2; its page cache counts as free), and
/// Slurm's allocation for the job (SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU). Of the process: its
/// limits of address space and of data. `root` is the folder that contains /proc and /sys. Local.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

}  // namespace shardstone
