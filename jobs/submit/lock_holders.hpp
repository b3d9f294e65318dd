// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace shardstone::submit {

/// Which processes hold a lock (flock) on a file, the one with the lowest number first: "process 12
/// (mpiexec) and 3 more". Empty where none can be seen, as of other users and of other machines.
std::string holders_of(const std::filesystem::path& file);

}  // namespace shardstone::submit
