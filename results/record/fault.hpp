// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

/// What is wrong, of a check that failed: its name alone says what should be. "the check 'loss
/// fell' failed (7.1)", "the run is incomplete: stopped by a signal: 3 of 40 points were measured".
std::string fault_of(const Check& failed);

}  // namespace shardstone::results
