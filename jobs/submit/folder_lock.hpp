// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace shardstone::submit {

/// Held while points are submitted or run, by this process and by those that it starts for it
/// (share()), so that no run of an earlier call writes where a new one does. One at a time in a
/// process.
class FolderLock {
  public:
    static constexpr const char* file_name = ".lock";

    /// Makes the folder if there is none. Waits up to 20 s for others, and calls `waits` when that
    /// begins, with words for who is at work. Throws Error with the same words.
    FolderLock(const std::filesystem::path& folder,
               const std::function<void(const std::string& others)>& waits);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

    /// In a process that was forked to become another program: that holds the lock as well, if this
    /// process does. Async-signal-safe.
    static void share();

    /// Whether it is held now, by this process or another one.
    static bool is_held(const std::filesystem::path& folder);

  private:
    int descriptor_ = -1;
};

}  // namespace shardstone::submit
