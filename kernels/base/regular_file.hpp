// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>

namespace shardstone {

/// A file that is open for reading. Whatever else bears the name (a folder, a device, a FIFO whose
/// writer never comes) is refused at once instead of waited for. Local.
class RegularFile {
  public:
    /// Throws Error naming `path` when it cannot be read or is no regular file.
    explicit RegularFile(std::filesystem::path path);
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;
    ~RegularFile();

    int descriptor() const noexcept { return descriptor_; }
    std::size_t size_bytes() const noexcept { return size_bytes_; }  ///< when it was opened

    /// Fills `to` with the bytes from `offset` on, as many as there are; how many that was. Throws
    /// Error when the disk fails.
    std::size_t read_at(std::size_t offset, std::span<std::byte> to) const;

    /// Its bytes, as many as there are, `most` of them at most. Throws Error.
    std::string read_all(std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  private:
    [[noreturn]] void fail_to_read(const char* reason) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::size_t size_bytes_ = 0;
};

}  // namespace shardstone
