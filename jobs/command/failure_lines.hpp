// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace shardstone::command {

/// Current length of the failure log next to an output (failure_log.hpp); 0 if there is none.
std::uintmax_t failure_bytes(const std::filesystem::path& output);

/// Removes that much from its beginning, and deletes the log if nothing is left: lines written
/// since then are kept. All lines are kept if the file cannot be written.
void forget_failures(const std::filesystem::path& output, std::uintmax_t bytes);

}  // namespace shardstone::command
