// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>

namespace shardstone {

/// A file open for reading. Anything else of that name (a folder, a device, a FIFO without a
/// writer) is refused at once instead of blocking. Local.
class RegularFile {
  public:
    /// Throws Error naming `path` if it cannot be read or is not a regular file.
    explicit RegularFile(std::filesystem::path path);
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;
    ~RegularFile();

    int descriptor() const noexcept { return descriptor_; }
    std::size_t size_bytes() const noexcept { return size_bytes_; }  ///< when opened

    /// Fills `to` with the bytes from `offset` on, as far as available; returns their number.
    /// Throws Error if the disk fails.
    std::size_t read_at(std::size_t offset, std::span<std::byte> to) const;

    /// All bytes, at most `most`. Throws Error.
    std::string read_all(std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  private:
    [[noreturn]] void fail_to_read(const char* reason) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::size_t size_bytes_ = 0;
};

}  // namespace shardstone
