// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardstone::collectives {

/// What was found of segments of shared memory that MPICH and UCX make and that a kill keeps from
/// being removed.
struct Leftovers {
    int cleared = 0;
    std::int64_t cleared_bytes = 0;
    std::vector<std::filesystem::path> unproved;  ///< where the kernel does not say who uses them
};

/// Removes the segments below `folder` (ucx_shm_posix_*, mpich_shar_tmp*) of this user that no
/// process has open or mapped, whatever namespace it is in: the kernel grants a lease for writing
/// only then, and while we hold it, nobody can open the file. Those that were touched within `age`
/// may be about to be mapped, and stay. Throws nothing. Local; for one rank of a node.
Leftovers clear_leftovers(const std::filesystem::path& folder = "/dev/shm",
                          std::chrono::seconds age = std::chrono::seconds(10)) noexcept;

}  // namespace shardstone::collectives
