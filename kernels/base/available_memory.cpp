// SPDX-License-Identifier: BSD-3-Clause
// Works out how much memory is left to a process from meminfo, cgroups, Slurm and resource limits.
#include "kernels/base/available_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>

namespace shardstone {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kib = 1024;

std::optional<std::int64_t> first_number(const fs::path& path) {
    std::ifstream file(path);
    std::int64_t value = 0;
    return file >> value ? std::optional(value) : std::nullopt;  // "max" is none
}

/// The number behind a few words at the beginning of a line.
std::optional<std::int64_t> named_number(const fs::path& path, const std::string& name) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name + ' ') && !line.starts_with(name + '\t')) continue;
        std::istringstream rest(line.substr(name.size()));
        std::int64_t value = 0;
        return rest >> value ? std::optional(value) : std::nullopt;  // "unlimited" is none
    }
    return std::nullopt;
}

// Files and variables may hold any number: what does not fit is the most, or the least, that does.

std::int64_t end_towards(bool below) {
    using Limits = std::numeric_limits<std::int64_t>;
    return below ? Limits::min() : Limits::max();
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? end_towards((a < 0) != (b < 0)) : result;
}

std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_sub_overflow(a, b, &result) ? end_towards(a < 0) : result;
}

void take_least(std::optional<MemoryLimit>& least, std::int64_t bytes, const std::string& name) {
    bytes = std::max<std::int64_t>(0, bytes);
    if (!least || bytes < least->bytes) least = {bytes, name};
}

/// What the files of a kernel's version of cgroups are called.
struct GroupFiles {
    const char* type;         ///< of the file system
    const char* usual_place;  ///< below the root
    std::initializer_list<const char*> limits;
    const char* used;
    /// In memory.stat: of what is used, what the kernel gives back before it kills.
    std::initializer_list<const char*> files;
};
constexpr GroupFiles version_1{"cgroup",
                               "sys/fs/cgroup/memory",
                               {"memory.limit_in_bytes"},
                               "memory.usage_in_bytes",
                               {"total_active_file", "total_inactive_file"}};
constexpr GroupFiles version_2{"cgroup2",
                               "sys/fs/cgroup",
                               {"memory.max", "memory.high"},
                               "memory.current",
                               {"active_file", "inactive_file"}};

void take_group(const fs::path& folder, const std::string& group, const GroupFiles& names,
                std::optional<MemoryLimit>& least) {
    const auto used = first_number(folder / names.used);
    if (!used) return;
    std::int64_t held = *used;
    for (const char* name : names.files) {
        held = difference(held, named_number(folder / "memory.stat", name).value_or(0));
    }
    for (const char* name : names.limits) {
        const auto limit = first_number(folder / name);
        if (!limit) continue;
        take_least(least, difference(*limit, std::max<std::int64_t>(0, held)),
                   std::string(name) + " of cgroup " + group);
    }
}

/// Where groups of a version are found, and which of them is there: a container sees its own at the
/// top.
struct Mount {
    fs::path place;
    std::string top = "/";
};

bool has_word(const std::string& list, const std::string& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

Mount mount_of(const fs::path& root, const GroupFiles& names) {
    std::ifstream mounts(root / "proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        const auto dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        std::istringstream before(line.substr(0, dash));
        std::istringstream behind(line.substr(dash + 3));
        std::string skipped, top, place, type, options;
        before >> skipped >> skipped >> skipped >> top >> place;
        behind >> type >> skipped >> options;
        if (type != names.type || (&names == &version_1 && !has_word(options, "memory"))) continue;
        return {root / fs::path(place).relative_path(), top};
    }
    return {root / names.usual_place, "/"};
}

/// Of a group and all above it.
void take_groups(const fs::path& root, const GroupFiles& names, const std::string& group,
                 std::optional<MemoryLimit>& least) {
    const Mount mount = mount_of(root, names);
    const bool below_top = mount.top != "/" && group.starts_with(mount.top);
    const std::string seen = below_top ? group.substr(mount.top.size()) : group;
    for (fs::path below = fs::path(seen).relative_path();; below = below.parent_path()) {
        take_group(mount.place / below, "/" + below.string(), names, least);
        if (below.empty()) return;
    }
}

/// Lines of "id:controllers:/group"; of version 2 there is one, "0::/group".
void take_all_groups(const fs::path& root, std::optional<MemoryLimit>& least) {
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty()) take_groups(root, version_2, group, least);
        if (has_word(controllers, "memory")) take_groups(root, version_1, group, least);
    }
}

std::int64_t variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? 0 : std::max(0LL, std::strtoll(value, nullptr, 10));
}

/// Slurm counts in MiB; 0 stands for all that the node has.
void take_slurm(std::optional<MemoryLimit>& least) {
    constexpr std::int64_t mib = kib * kib;
    const std::int64_t of_node = variable("SLURM_MEM_PER_NODE");
    if (of_node > 0) take_least(least, product(of_node, mib), "SLURM_MEM_PER_NODE");
    const std::int64_t of_cores =
        product(variable("SLURM_MEM_PER_CPU"), variable("SLURM_CPUS_ON_NODE"));
    if (of_cores > 0) {
        take_least(least, product(of_cores, mib), "SLURM_MEM_PER_CPU times SLURM_CPUS_ON_NODE");
    }
}

void take_process(const fs::path& root, const char* limit, const char* used, const char* name,
                  std::optional<MemoryLimit>& least) {
    const auto most = named_number(root / "proc/self/limits", limit);
    const auto kibibytes = named_number(root / "proc/self/status", used);
    if (most) take_least(least, difference(*most, product(kibibytes.value_or(0), kib)), name);
}

}  // namespace

std::optional<MemoryLimit> AvailableMemory::for_each_of(int processes) const {
    std::optional<MemoryLimit> least = of_process;
    if (of_node) take_least(least, of_node->bytes / std::max(1, processes), of_node->name);
    return least;
}

AvailableMemory available_memory(const fs::path& root) {
    AvailableMemory memory;
    if (const auto kibibytes = named_number(root / "proc/meminfo", "MemAvailable:")) {
        take_least(memory.of_node, product(*kibibytes, kib), "MemAvailable of this node");
    }
    take_all_groups(root, memory.of_node);
    take_slurm(memory.of_node);
    take_process(root, "Max address space", "VmSize:", "RLIMIT_AS (ulimit -v)", memory.of_process);
    take_process(root, "Max data size", "VmData:", "RLIMIT_DATA (ulimit -d)", memory.of_process);
    return memory;
}

}  // namespace shardstone
