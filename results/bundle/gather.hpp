// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "results/bundle/contents.hpp"

namespace shardstone::results {

struct Gathered {
    BundleContents contents;
    std::vector<NotShown> broken;    ///< files of folders that look like records and cannot be read
    std::vector<NotShown> repeated;  ///< files of a run that was given before in the same format
};

/// Reads records for a bundle, in the order given: files, or folders of them (records_below()). One
/// that was given in both formats is taken once. Names are the shortest ends of the paths by which
/// the files differ. Throws Error naming a file of `records` that cannot be read, is damaged or is
/// no record, two of one run with different contents, or an acceptance file that is not the one by
/// which a record was judged. Without one, that by which all judged records were judged is taken
/// from them.
Gathered gather(const std::vector<std::filesystem::path>& records,
                const std::optional<std::filesystem::path>& acceptance);

}  // namespace shardstone::results
