// SPDX-License-Identifier: BSD-3-Clause
// Random names for unfinished files, locks that mark them in use, removal of abandoned ones.
#include "results/format/temporary_name.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <string>

#include "results/format/hash.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

/// Locks are one kernel's: only under the one that a file was made with does a free lock prove
/// anything, and containers of equal names on two machines have two of them.
const std::string& kernel_tag() {
    static const std::string tag = [] {
        std::string boot;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
        return boot.empty() ? boot : hash_of_bytes(boot).substr(0, 8);
    }();
    return tag;
}

std::string beginning_for(const fs::path& place) {
    return fmt::format(".{}.{}-", place.filename().string(), kernel_tag());
}

constexpr std::string_view ending = ".tmp";

/// Between a file's creation and its lock it looks as if it were nobody's, for far less than this.
constexpr std::time_t surely_marked_s = 60;

/// Looks at what is there, not at what a symbolic link of that name points to. The owner counts,
/// since anybody may put files into /tmp.
bool is_nobodys(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat status {};
    const bool ours = ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
                      (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                      status.st_mtime + surely_marked_s < std::time(nullptr);
    const bool free = ours && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    ::close(descriptor);
    return free;
}

}  // namespace

fs::path fresh_temporary(const fs::path& place) {
    std::random_device device;
    return place.parent_path() /
           fmt::format("{}{:08x}{:08x}{}", beginning_for(place), device(), device(), ending);
}

void mark_as_in_use(int descriptor) {
    ::flock(descriptor, LOCK_EX | LOCK_NB);
}

void remove_leftovers(const fs::path& place) {
    if (kernel_tag().empty()) return;
    const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
    const std::string beginning = beginning_for(place);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(beginning) || !name.ends_with(ending)) continue;
        if (!is_nobodys(entry.path())) continue;
        if (fs::remove_all(entry.path(), ignored) == 0 || ignored) continue;
        std::fprintf(stderr, "shardstone: removed '%s', which a killed run had left\n",
                     entry.path().c_str());
    }
}

}  // namespace shardstone::results
