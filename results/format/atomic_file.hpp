// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

namespace shardstone::results {

/// A file that appears under its name complete or not at all: it is written under a temporary name
/// in the same folder, and commit() makes it durable and renames it. Without commit() nothing
/// stays. Local; one writer per path at a time.
class AtomicFile {
  public:
    /// Creates the temporary file, empty. Throws Error naming `path` when that cannot be done, or
    /// when `path` is there and no regular file (a rename would replace a device).
    explicit AtomicFile(std::filesystem::path path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Where a library that opens files itself has to write.
    const std::filesystem::path& temporary() const noexcept { return temporary_; }

    /// Replaces `bytes.size()` bytes from `offset` on. Throws Error, e.g. when the disk is full.
    void write(std::string_view bytes, std::uintmax_t offset = 0);

    /// fsync of the file, rename, fsync of the folder. Throws Error.
    void commit();

  private:
    [[noreturn]] void fail_with(const char* action) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    bool committed_ = false;
};

/// The whole of a file. Throws Error naming it when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace shardstone::results
