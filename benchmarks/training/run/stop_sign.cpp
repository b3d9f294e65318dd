// SPDX-License-Identifier: BSD-3-Clause
// Ranks agree, a few times a second, whether one of them was asked to stop.
#include "benchmarks/training/run/stop_sign.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/interrupt.hpp"

namespace shardstone::benchmarks {

bool StopSign::raised() {
    constexpr double wanted_s = 0.25;
    if (++steps_since_ < between_looks_) return false;
    // By agreement, or ranks would look at different steps.
    const double time_s = now_s();
    const double passed_s = world_.max(time_s - std::exchange(looked_s_, time_s));
    const bool found = world_.max(interrupted() ? 1.0 : 0.0) > 0.0;
    // By the clock, since not all that passes is steps; no more than twice as many at a time, since
    // the first steps may have been the quick ones.
    const double steps = static_cast<double>(steps_since_) * std::min(2.0, wanted_s / passed_s);
    between_looks_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
    steps_since_ = 0;
    return found;
}

}  // namespace shardstone::benchmarks
