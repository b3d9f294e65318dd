// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace shardstone::reference {

/// A file written front to back; finish() syncs it to disk. Throws Error naming the path if the
/// disk is full or the folder cannot be written.
class OutputFile {
  public:
    explicit OutputFile(std::filesystem::path path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    void write(std::span<const std::byte> bytes);
    /// Overwrites bytes at `offset`, which must have been written before.
    void overwrite(std::size_t offset, std::span<const std::byte> bytes);
    void finish();

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// A folder created atomically: filled under a random name next to its final place
/// (results/format/temporary_name.hpp), renamed by commit(), and removed if commit() is never
/// reached.
class OutputFolder {
  public:
    /// Throws Error if `place` is a file or a folder that is not empty.
    explicit OutputFolder(std::filesystem::path place);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder();

    const std::filesystem::path& path() const noexcept { return temporary_; }
    void commit();

  private:
    std::filesystem::path place_;
    std::filesystem::path temporary_;
    int descriptor_ = -1;  ///< marks it as in use
};

}  // namespace shardstone::reference
