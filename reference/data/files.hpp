// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace shardstone::reference {

/// A file written front to back; finish() puts it on the disk. Throws Error naming the path when
/// the disk is full or the folder cannot be written.
class OutputFile {
  public:
    explicit OutputFile(std::filesystem::path path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    void write(std::span<const std::byte> bytes);
    /// Overwrites what stands at `offset`, which must have been written before.
    void overwrite(std::size_t offset, std::span<const std::byte> bytes);
    void finish();

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// A folder that appears whole or not at all: filled under a random name beside its place
/// (results/format/temporary_name.hpp), renamed by commit(), removed again when commit() was never
/// reached.
class OutputFolder {
  public:
    /// Throws Error when `place` is taken by a file or by a folder that is not empty.
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
