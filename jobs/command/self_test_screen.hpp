// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/schema/simulated_trials.hpp"
#include "validation/interconnect/trial_grid.hpp"

namespace shardstone::command {

/// The clusters that are simulated, and the names of the columns.
void print_self_test_head(const validation::SelfTestOptions& options);
/// A row, with `note` at its end.
void print_detection(const results::DetectionRow& row, const char* note);
/// From which rate on each fault is named, with how many messages, and how many a real run takes:
/// `noise_passes` is what that of --noise took; 0: none.
void print_conclusion(const std::vector<results::DetectionRow>& shares, int noise_passes);

}  // namespace shardstone::command
