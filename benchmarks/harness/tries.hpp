// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "benchmarks/harness/stall_watch.hpp"
#include "benchmarks/harness/watch.hpp"

namespace shardstone::benchmarks {

/// Samples of a try, equal on all ranks, and this rank's begin and end of each; empty if the
/// measurement has no such series.
struct Series {
    std::span<const double> samples_s = {}, begin_s = {}, end_s = {};
};

/// Conditions of a figure's measurement, and the stalls of its tries.
struct Tries {
    Watched watched;
    std::vector<Stall> stalls;
    int kept = 1;  ///< the try that counts
};

/// Watch::until_quiet(), where a try also counts as stalled if one of its samples was, or, without
/// a series, if a rank stood still in it. `newest` gives the series of the newest try. Collective.
Tries until_undisturbed(Watch& watch, StallWatch& pulses, const std::function<void()>& measure,
                        const std::function<void()>& better,
                        const std::function<Series()>& newest = {});

}  // namespace shardstone::benchmarks
