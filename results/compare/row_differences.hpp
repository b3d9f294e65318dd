// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/compare/match.hpp"
#include "results/schema/comparison.hpp"

namespace shardstone::results {

/// The differences in environment and settings behind all rows that both sides have: the runs of
/// each row are compared on their own, so that settings exchanged between two rows differ in both.
std::vector<ComparisonDifferenceRow> differences_of(const std::vector<MatchedRow>& rows);

}  // namespace shardstone::results
