// SPDX-License-Identifier: BSD-3-Clause
// What the samples of a validation of the interconnect, and of its self-test, can hold.
#pragma once

#include <vector>

#include "results/recompute/possible.hpp"

namespace shardstone::validation {

/// Columns of the samples of a record of kind "interconnect" of so many ranks, and what a run can
/// have put there; find_in() is defined for such samples only. Pure.
std::vector<results::PossibleNumbers> possible_interconnect_numbers(double ranks);

/// The same of the counts of a self-test; detection_rows() is defined for such only. Pure.
std::vector<results::PossibleNumbers> possible_trial_numbers();

}  // namespace shardstone::validation
