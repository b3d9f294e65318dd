// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/schema/simulated_trials.hpp"

namespace shardstone::results {

/// A fault counts as seen where it is in at least this share of the trials.
constexpr double seen_share = 0.95;

/// What the shares of a self-test come to, one line for each kind of fault and one for healthy
/// clusters: "nic-out is named in at least 95 % of trials at 90 % of its rate or less with 3
/// messages per test". Of each fault the mildest rate from which on every tested one is seen, with
/// the fewest messages that do. Shares without their intervals: the rows have those. Pure.
std::vector<std::string> detection_in_words(const std::vector<DetectionRow>& rows);

}  // namespace shardstone::results
