// SPDX-License-Identifier: BSD-3-Clause
// The folder of a study is used by one at a time.
#include "jobs/submit/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "jobs/submit/lock_holders.hpp"
#include "jobs/submit/obstacles.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

/// Of the lock that this process has; -1: none.
int held_descriptor = -1;

std::string others_at_work(const fs::path& folder) {
    const std::string holders = holders_of(folder / FolderLock::file_name);
    return fmt::format(
        "another 'shardstone submit', or a run that it started, is at work in '{}'{}",
        folder.string(), holders.empty() ? "" : " (" + holders + ")");
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder,
                       const std::function<void(const std::string& others)>& waits) {
    make_folder(folder);
    const fs::path file = folder / file_name;
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    require(descriptor_ >= 0, [&] {
        return fmt::format("'{}' cannot be made: {}", file.string(), std::strerror(errno));
    });
    constexpr int tries = 200;
    for (int i = 0; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++i) {
        if (i == tries) {
            ::close(descriptor_);
            fail(others_at_work(folder) + ": wait for it, or end it");
        }
        if (i == 1)
            waits(others_at_work(folder));  // not at once: is_held() holds it for an instant
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    held_descriptor = descriptor_;
}

FolderLock::~FolderLock() {
    held_descriptor = -1;
    ::close(descriptor_);
}

void FolderLock::share() {
    if (held_descriptor >= 0) ::fcntl(held_descriptor, F_SETFD, 0);
}

bool FolderLock::is_held(const fs::path& folder) {
    const int descriptor = ::open((folder / file_name).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return held;
}

}  // namespace shardstone::submit
