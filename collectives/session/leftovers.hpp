// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardstone::collectives {

/// Shared-memory segments of MPICH and UCX left behind by killed processes.
struct Leftovers {
    int cleared = 0;
    std::int64_t cleared_bytes = 0;
    std::vector<std::filesystem::path> unproved;  ///< if the kernel does not reveal their users
};

/// Removes the segments below `folder` (ucx_shm_posix_*, mpich_shar_tmp*) of this user that no
/// process has open or mapped, whatever namespace it is in: the kernel grants a lease for writing
/// only then, and while we hold it, nobody can open the file. Those touched within `age` may be
/// about to be mapped, and are kept. Never throws. Local; for one rank of a node.
Leftovers clear_leftovers(const std::filesystem::path& folder = "/dev/shm",
                          std::chrono::seconds age = std::chrono::seconds(10)) noexcept;

}  // namespace shardstone::collectives
