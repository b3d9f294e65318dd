// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::validation {

/// A small made-up record that holds every kind of thing a record may hold: infinities, NaN,
/// negative zero, the smallest and largest doubles, empty tables, texts of several lengths.
results::Record example_record();

/// A fresh folder, removed with everything in it at the end.
class TemporaryFolder {
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    /// Number of entries, hidden ones included.
    std::size_t entries() const;

  private:
    std::filesystem::path path_;
};

}  // namespace shardstone::validation
