// SPDX-License-Identifier: BSD-3-Clause
// Ranks agree, a few times a second, whether one of them was asked to stop.
#include "reference/trainer/stop_sign.hpp"

#include <algorithm>

#include "kernels/base/interrupt.hpp"

namespace shardstone::reference {

bool StopSign::raised(double step_s) {
    constexpr double between_looks_s = 0.25;
    constexpr double most_steps = 1000.0;
    if (steps_to_next_look_-- > 0) return false;
    // Both by agreement, or ranks would look at different steps.
    const double longest_s = world_.max(step_s);
    const bool found = world_.max(interrupted() ? 1.0 : 0.0) > 0.0;
    steps_to_next_look_ =
        static_cast<std::int64_t>(std::min(most_steps, between_looks_s / longest_s));
    return found;
}

}  // namespace shardstone::reference
