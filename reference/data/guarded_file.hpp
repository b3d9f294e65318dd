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

/// Properties of a file known without reading it; if any differs, the bytes may differ too.
struct FileState {
    std::uint64_t device = 0, inode = 0;
    std::size_t size_bytes = 0;
    std::int64_t written_ns = 0;  ///< last change of the bytes, as stored with the file (mtime)
    std::int64_t changed_ns = 0;  ///< last change of anything, as set by the system (ctime)

    bool operator==(const FileState&) const = default;
};

/// Changes to a file since it was first read.
struct FileFate {
    bool changed = false;
    std::string words;  ///< in one line, naming it; also if it is gone, or was rewritten with the
                        ///< same bytes. Empty: unchanged
};

/// A file read repeatedly, at any offset, during a run, which must not change. All of it is read
/// once, front to back, and hashed piece by piece; later every piece from which bytes are taken is
/// hashed again after it was copied, so that a run only uses verified bytes. It is read, not
/// mapped, so that truncation gives an Error instead of SIGBUS. 8 bytes of memory per piece. Local.
class GuardedFile {
  public:
    static constexpr std::size_t piece_bytes = 1 << 12;

    /// With `stays_open` it keeps a descriptor open; otherwise it is opened for every read. Throws
    /// Error naming `path` if it cannot be read or is not a regular file.
    GuardedFile(const std::filesystem::path& path, bool stays_open);

    std::size_t size_bytes() const noexcept { return state_.size_bytes; }

    /// Passes all bytes to `take` in pieces of piece_bytes, the last one shorter, aligned to 64. To
    /// be called once, before anything else is read. Throws Error if the file shrinks meanwhile.
    void read_first(const std::function<void(std::span<const std::byte>)>& take);

    /// Fills `to` with the bytes from `offset` on, all of which must have been read by
    /// read_first(). Throws Error (ExitCode::check_failed) naming the file, the offset and the
    /// change if the bytes have changed.
    void read(std::size_t offset, std::span<std::byte> to) const;

    /// Checks whether it is unchanged: immediately if size, times and inode are the same, otherwise
    /// by all its bytes. Does not throw.
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
    mutable FileState state_;  ///< when all its bytes were last known to be right
    std::vector<std::uint64_t> hashes_;
};

}  // namespace shardstone::reference
