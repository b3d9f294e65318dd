// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace shardstone::validation {

/// A folder in memory (/dev/shm, where there is one) for readers that want files; it goes with this
/// object.
class MemoryFolder {
  public:
    MemoryFolder();
    MemoryFolder(const MemoryFolder&) = delete;
    MemoryFolder& operator=(const MemoryFolder&) = delete;
    ~MemoryFolder();

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// Replaces the bytes of the file, which stays the same one; makes folders above it. Not
    /// synced.
    void write(const std::string& name, std::string_view bytes) const;
    std::string read(const std::string& name) const;

  private:
    std::filesystem::path path_;
};

}  // namespace shardstone::validation
