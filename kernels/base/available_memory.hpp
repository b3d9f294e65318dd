// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace shardstone {

/// Bytes that processes of this one's kind can still take on this node: the least of what the
/// kernel calls available (MemAvailable of /proc/meminfo) and what each memory cgroup above this
/// process, of version 1 or 2, leaves free, where what it holds of files counts as free. Nothing
/// where neither can be read. `root` is where /proc and /sys are found.
std::optional<std::int64_t> available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace shardstone
