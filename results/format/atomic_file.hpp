// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace shardstone::results {

/// A file that appears under its name completely or not at all. It is written without a name if the
/// file system supports that (a killed run then leaves nothing), otherwise under a random one in
/// the same folder; commit() makes it durable and renames it. Without commit() nothing remains. Its
/// mode is 0666 less the umask. If `path` is a symbolic link, the file replaces the link; its
/// target is unchanged. Local.
class AtomicFile {
  public:
    /// Creates the file, empty, and removes leftovers of killed runs (temporary_name.hpp). Throws
    /// Error naming `path` if it cannot be created, or if `path` exists and is not a regular file
    /// (a rename would replace a device).
    explicit AtomicFile(std::filesystem::path path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Replaces `bytes.size()` bytes from `offset` on. Throws Error with ExitCode::output_lost,
    /// e.g. when the disk is full.
    void write(std::string_view bytes, std::uintmax_t offset = 0);

    /// fsync of the file, its name or a rename, fsync of the folder. Throws as write() does.
    void commit();

  private:
    void create();
    bool takes_free_name();
    void give_it_a_name();
    /// Where it was written instead, as something had appeared; else empty.
    std::filesystem::path rename_into_place(bool was_absent);
    std::filesystem::path rename_beside();
    [[noreturn]] void fail_with(const char* action) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_;  ///< empty: it has no name yet
    int descriptor_ = -1;
};

/// Declares that nothing had this name when the run began: if something does when the file is
/// committed, it is kept, and the file is written next to it as NAME.2.ENDING or with the next free
/// number; commit() then throws Error with ExitCode::output_lost, which says so. The next commit of
/// the file replaces it as usual. Local to the process; paths are compared as given.
void expect_absent(const std::filesystem::path& path);

/// Writes one whole file. Throws Error.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Contents of a file. Throws Error naming it if it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace shardstone::results
