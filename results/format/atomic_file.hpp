// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace shardstone::results {

/// A file that appears under its name complete or not at all. It is written without a name where
/// the file system can (then nothing of a killed run stays), else under a random one in the same
/// folder; commit() makes it durable and renames it. Without commit() nothing stays. Its mode is
/// what the umask leaves of 0666. Where `path` is a symbolic link, the file takes the link's place;
/// what it points to stays as it was. Local.
class AtomicFile {
  public:
    /// Creates the file, empty, and removes what killed runs left (temporary_name.hpp). Throws
    /// Error naming `path` when it cannot be created, or when `path` is there and no regular file
    /// (a rename would replace a device).
    explicit AtomicFile(std::filesystem::path path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Replaces `bytes.size()` bytes from `offset` on. Throws Error with ExitCode::output_lost,
    /// e.g. when the disk is full.
    void write(std::string_view bytes, std::uintmax_t offset = 0);

    /// fsync of the file, rename, fsync of the folder. Throws as write() does.
    void commit();

  private:
    void create();
    void give_it_a_name();
    std::filesystem::path rename_beside();
    [[noreturn]] void fail_with(const char* action) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_;  ///< empty: it has no name yet
    int descriptor_ = -1;
};

/// Says that nothing was under this name when the run began: should something be there when the
/// file is committed, it is kept, and the file comes beside it, as NAME.2.ENDING or with the next
/// free number; commit() then throws Error with ExitCode::output_lost, which says so. The file's
/// next commit replaces it as always. Local, of the process; paths are compared as they are given.
void expect_absent(const std::filesystem::path& path);

/// Writes one whole file. Throws Error.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// The whole of a file. Throws Error naming it when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace shardstone::results
