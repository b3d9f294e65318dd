// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/bundle/contents.hpp"

namespace shardstone::results {

constexpr const char* acceptance_path = "acceptance.toml";

/// What the acceptance file of a bundle has to do with its records, which hold the text of the
/// file that they were judged by (configuration "accept" of `shardstone validate interconnect`).
struct AcceptanceUse {
    std::vector<std::string> judged;  ///< paths of the records that were judged by this very text
    /// Of the records that were judged by another: "line 4: 'limit = 2' instead of 'limit = 1', by
    /// which records/pod.h5 was judged".
    std::vector<std::string> contradictions;
};

/// The text by which records were judged: of one file, "" if by none, nothing if by several.
std::optional<std::string> common_limits(const std::vector<BundledRecord>& records);

/// Nothing in it if the bundle has no such file.
AcceptanceUse use_of_acceptance(const BundleContents& contents);

}  // namespace shardstone::results
