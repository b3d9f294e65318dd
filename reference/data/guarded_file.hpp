// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/regular_file.hpp"

namespace shardstone::reference {

/// What is known of a file without reading it; where any of it is another, the bytes may be, too.
struct FileState {
    std::uint64_t device = 0, inode = 0;
    std::size_t size_bytes = 0;
    std::int64_t written_ns = 0;  ///< last change of the bytes, as the file has it
    std::int64_t changed_ns = 0;  ///< last change of anything, as the system has it

    bool operator==(const FileState&) const = default;
};

/// What became of a file since it was first read.
struct FileFate {
    bool changed = false;
    std::string words;  ///< in one line, naming it; also where it is gone, or was written anew with
                        ///< the same bytes. Empty: nothing happened
};

/// A file that is read again and again, at any place, while a run lasts, and has to stay what it
/// was. All of it is read once, front to back, and hashed piece by piece; later every piece from
/// which bytes are taken is hashed again, after it was copied: nothing reaches a run that was not
/// verified before. It is read, not mapped, so that one that shrinks is an Error and no SIGBUS.
/// 8 bytes of memory for each piece. Local.
class GuardedFile {
  public:
    static constexpr std::size_t piece_bytes = 1 << 12;

    /// With `stays_open` it takes a descriptor; without, it is opened for every reading. Throws
    /// Error naming `path` when it cannot be read or is no regular file.
    GuardedFile(const std::filesystem::path& path, bool stays_open);

    std::size_t size_bytes() const noexcept { return state_.size_bytes; }

    /// Hands over all bytes in pieces of piece_bytes, the last one shorter, aligned to 64. Once,
    /// before anything else is read. Throws Error when it shrinks meanwhile.
    void read_first(const std::function<void(std::span<const std::byte>)>& take);

    /// Fills `to` with the bytes from `offset` on, all of which were there in read_first(). Throws
    /// Error (ExitCode::check_failed) naming the file, the offset and what changed when they are
    /// not those any more.
    void read(std::size_t offset, std::span<std::byte> to) const;

    /// Looks whether it is still what it was: at once where size, times and inode are, else by all
    /// its bytes. Throws nothing.
    FileFate look() const;

  private:
    using Buffer = std::span<std::byte, piece_bytes>;

    template <class Action>
    void with_file(Action&& action) const;
    std::size_t size_of(std::size_t piece) const;
    std::span<const std::byte> read_piece(const RegularFile& file, std::size_t piece,
                                          Buffer buffer) const;
    std::span<const std::byte> read_same(const RegularFile& file, std::size_t piece,
                                         Buffer buffer) const;
    void compare_all(const RegularFile& file, const FileState& now) const;

    std::filesystem::path path_;
    std::optional<RegularFile> open_;
    mutable FileState state_;  ///< as it was when all its bytes were known to be right
    std::vector<std::uint64_t> hashes_;
};

}  // namespace shardstone::reference
