// SPDX-License-Identifier: BSD-3-Clause
// Shared-memory files that killed MPI runs left behind, removed once nobody can be using them.
#include "collectives/session/leftovers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace shardstone::collectives {

namespace {

namespace fs = std::filesystem;

bool is_of_a_library(const std::string& name) {
    return name.starts_with("ucx_shm_posix_") || name.starts_with("mpich_shar_tmp");
}

bool is_old_and_ours(int file, std::chrono::seconds age) {
    struct stat about = {};
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    const std::time_t touched = std::max(about.st_mtime, about.st_ctime);
    return about.st_uid == geteuid() && about.st_nlink == 1 &&
           std::time(nullptr) - touched >= age.count();
}

void clear(const fs::path& path, int file, Leftovers& found) {
    // Who opens the file meanwhile makes the kernel send a signal: one that is ignored by default.
    fcntl(file, F_SETSIG, SIGURG);
    if (fcntl(file, F_SETLEASE, F_WRLCK) != 0) {
        if (errno != EAGAIN) found.unproved.push_back(path);  // EAGAIN: somebody has it
        return;
    }
    struct stat about = {};
    if (fstat(file, &about) == 0 && unlink(path.c_str()) == 0) {
        ++found.cleared;
        found.cleared_bytes += about.st_size;
    }
    fcntl(file, F_SETLEASE, F_UNLCK);
}

}  // namespace

Leftovers clear_leftovers(const fs::path& folder, std::chrono::seconds age) noexcept {
    Leftovers found;
    try {
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (!is_of_a_library(entry.path().filename().string())) continue;
            const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
            const int file = open(entry.path().c_str(), flags);
            if (file < 0) continue;
            if (is_old_and_ours(file, age)) clear(entry.path(), file, found);
            close(file);
        }
    } catch (const std::exception&) {  // a folder that is not there has none
    }
    return found;
}

}  // namespace shardstone::collectives
