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
    /// What its reader must know besides, one line each: verdicts that its records hold, and an
    /// acceptance file by which none of them was judged.
    std::vector<std::string> notes;
    bool tells_of_no_pass = false;  ///< one of those verdicts is not PASS
};

/// Checks a bundle, `bytes`, against itself: each file against the manifest; the report, the
/// tables, the README, the manifest and the archive's own headers against what they must be by the
/// records, all of it made again; what the manifest calls measured against the marks in the
/// records; the derived figures of each record against its samples; and the acceptance file against
/// what the records were judged by. `progress` is told what is
/// being done. Throws Error naming `source` for what is no archive of ours or cannot be read at
/// all.
BundleJudgement judge_bundle(const std::string& bytes, const std::string& source,
                             const std::function<void(const std::string&)>& progress);

}  // namespace shardstone::results
