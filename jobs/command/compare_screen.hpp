// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/compare/comparison.hpp"

namespace shardstone::command {

/// A comparison as `shardstone compare` prints it: the two sides, what differs between them, a
/// table for each compared table of the records, and how the verdicts are to be read.
std::string comparison_text(const results::Comparison& comparison,
                            const results::JudgeOptions& options);

/// "ring, 4 KiB (1.052)": a row and by how much B is worse there, as a factor.
std::string worse_row_text(const results::ComparisonRow& row);

}  // namespace shardstone::command
