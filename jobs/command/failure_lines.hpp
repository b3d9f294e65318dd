// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace shardstone::command {

/// How long the failure log beside an output (failure_log.hpp) is now; 0 where there is none.
std::uintmax_t failure_bytes(const std::filesystem::path& output);

/// Takes that much off its beginning, and the log where nothing is left: lines that were written
/// since stay. All do where the file cannot be written.
void forget_failures(const std::filesystem::path& output, std::uintmax_t bytes);

}  // namespace shardstone::command
