// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {

/// A short sweep of the algorithms ring and mpi at 1 and 16 KiB on 2 ranks, and a short training on
/// 2 ranks: records of the real command, run once.
const results::Record& real_sweep();
const results::Record& real_training();

/// Folders of edited repetitions of such records, and `shardstone compare` on them.
class ComparedRuns {
  public:
    /// Five runs that differ by 1 %, in a folder.
    void write_sweeps(const std::string& folder, const std::vector<double>& factors,
                      const Edit& edit = {}) const;
    void write_trainings(const std::string& folder, const std::vector<double>& factors,
                         const Edit& edit = {}) const;
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    /// Runs `shardstone compare WORDS` in the folder.
    Outcome compare(const std::string& words) const { return shardstone("compare " + words); }
    Outcome shardstone(const std::string& words) const;

  private:
    TemporaryFolder folder_;
};

}  // namespace shardstone::validation
