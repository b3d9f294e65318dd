// SPDX-License-Identifier: BSD-3-Clause
// How late ranks can have been to look at messages whose links need the same time in every step.
#include "reference/step/pricing/late_bounds.hpp"

#include <algorithm>

namespace shardstone::reference {

namespace {

/// `movement_of(step)`: the same transfer or message of each step.
template <class MovementOf>
void bound(std::span<StepTimes> steps, MovementOf movement_of) {
    double needed_s = 0.0;
    for (StepTimes& step : steps) {
        const StepTimes::Movement& one = movement_of(step);
        needed_s = std::max(needed_s, one.time_s - one.late_s);
    }
    for (StepTimes& step : steps) {
        StepTimes::Movement& one = movement_of(step);
        one.late_s = std::min(one.late_s, std::max(0.0, one.time_s - needed_s));
    }
}

}  // namespace

void bound_lateness(std::span<StepTimes> steps) {
    if (steps.empty()) return;
    for (const auto& entry : steps.front().transfers) {
        for (std::size_t i = 0; i < entry.second.size(); ++i) {
            bound(
                steps, [&](StepTimes & step) -> auto& {
                    return step.transfers.at(entry.first)[i];
                });
        }
    }
    for (const auto& entry : steps.front().messages) {
        bound(
            steps, [&](StepTimes & step) -> auto& { return step.messages.at(entry.first); });
    }
}

}  // namespace shardstone::reference
