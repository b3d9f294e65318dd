// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace shardstone::results {

/// What was found in a bundle.
struct BundleJudgement {
    /// Every change, with file and place: "report.html: section 'Collectives', ...".
    std::vector<std::string> wrong;
    /// What this program cannot tell, since another version made the bundle.
    std::vector<std::string> undecided;
    std::string summary;  ///< what was compared, for a bundle that is as it was made
};

/// Checks a bundle, `bytes`, against itself: each file against the manifest; the report, the
/// tables, the README, the manifest and the archive's own headers against what they must be by the
/// records, all of it made again; what the manifest calls measured against the marks in the
/// records; and the derived figures of each record against its samples. `progress` is told what is
/// being done. Throws Error naming `source` for what is no archive of ours or cannot be read at
/// all.
BundleJudgement judge_bundle(const std::string& bytes, const std::string& source,
                             const std::function<void(const std::string&)>& progress);

}  // namespace shardstone::results
