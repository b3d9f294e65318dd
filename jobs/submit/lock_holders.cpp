// SPDX-License-Identifier: BSD-3-Clause
// Who holds a lock, from what /proc says of the open files of every process.
#include "jobs/submit/lock_holders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <vector>

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code failed;
    for (fs::directory_iterator one(folder, failed), end; !failed && one != end;
         one.increment(failed)) {
        entries.push_back(one->path());
    }
    return entries;
}

/// Whether what a descriptor of a process stands for has a lock: one that only waits for it has the
/// file open as well.
bool has_lock(const fs::path& process, const fs::path& descriptor) {
    std::ifstream lines(process / "fdinfo" / descriptor.filename());
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("lock:")) return true;
    }
    return false;
}

/// By the names of what it has open: nothing is asked of a file system that may hang.
bool holds(const fs::path& process, const fs::path& file) {
    return std::ranges::any_of(entries_of(process / "fd"), [&](const fs::path& descriptor) {
        std::error_code closed;
        return fs::read_symlink(descriptor, closed) == file && has_lock(process, descriptor);
    });
}

/// Nothing of what is no process.
std::optional<long> number_of_process(const fs::path& entry) {
    const std::string name = entry.filename();
    long number = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failed != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return number;
}

}  // namespace

std::string holders_of(const fs::path& file) {
    std::error_code failed;
    const fs::path locked = fs::canonical(file, failed);
    if (failed) return "";
    std::vector<long> holders;
    for (const fs::path& process : entries_of("/proc")) {
        const auto number = number_of_process(process);
        if (number && holds(process, locked)) holders.push_back(*number);
    }
    if (holders.empty()) return "";
    const long first = std::ranges::min(holders);
    std::string name;
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", first)), name);
    return fmt::format("process {} ({}){}", first, name,
                       holders.size() == 1 ? "" : fmt::format(" and {} more", holders.size() - 1));
}

}  // namespace shardstone::submit
