// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace shardstone {

namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> first_number(const fs::path& path) {
    std::ifstream file(path);
    std::int64_t value = 0;
    return file >> value ? std::optional(value) : std::nullopt;  // "max" is none
}

/// The number behind a word at the beginning of a line.
std::optional<std::int64_t> named_number(const fs::path& path, const std::string& name) {
    std::ifstream file(path);
    for (std::string word; file >> word;) {
        std::int64_t value = 0;
        if (word == name && file >> value) return value;
        std::getline(file, word);
    }
    return std::nullopt;
}

/// What the files of a kernel's version of cgroups are called.
struct GroupFiles {
    const char* folder;  ///< below the root
    const char* limit;
    const char* used;
    const char* files;  ///< in memory.stat: of what is used, what the kernel can give back
};
constexpr GroupFiles version_1{"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

std::optional<std::int64_t> left_in(const fs::path& group, const GroupFiles& files) {
    const auto limit = first_number(group / files.limit);
    const auto used = first_number(group / files.used);
    if (!limit || !used) return std::nullopt;
    const std::int64_t files_held = named_number(group / "memory.stat", files.files).value_or(0);
    return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - files_held));
}

void take_least(std::optional<std::int64_t>& least, const std::optional<std::int64_t>& other) {
    if (other && (!least || *other < *least)) least = other;
}

/// Of a group and all above it.
void take_groups(const fs::path& root, const GroupFiles& files, const std::string& group,
                 std::optional<std::int64_t>& least) {
    const fs::path top = root / files.folder;
    for (fs::path below = fs::path(group).relative_path();; below = below.parent_path()) {
        take_least(least, left_in(top / below, files));
        if (below.empty()) return;
    }
}

}  // namespace

std::optional<std::int64_t> available_memory_bytes(const fs::path& root) {
    std::optional<std::int64_t> least;
    if (const auto kibibytes = named_number(root / "proc/meminfo", "MemAvailable:")) {
        least = 1024 * *kibibytes;
    }
    // Lines of "id:controllers:/group"; of version 2 there is one, "0::/group".
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty()) take_groups(root, version_2, group, least);
        if (controllers == "memory") take_groups(root, version_1, group, least);
    }
    return least;
}

}  // namespace shardstone
