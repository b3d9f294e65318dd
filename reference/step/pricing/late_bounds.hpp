// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "reference/step/pricing/step_times.hpp"

namespace shardstone::reference {

/// Lowers late_s of transfers and messages to what all steps together allow. A rank that was off
/// its core cannot tell since when a message had been there, so late_s of a step (time_s at most)
/// is the longest that it may have been; but the links need the same time in every step, and in
/// none less than what is left of its time after that. `steps` are of the same programs; of one
/// alone nothing more is known.
void bound_lateness(std::span<StepTimes> steps);

}  // namespace shardstone::reference
