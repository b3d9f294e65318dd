// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/executors/shared_memory/shared_memory.hpp"

namespace shardstone::collectives {

/// The tuning that is the fastest on these ranks, tried out once per process and number of ranks,
/// on vectors that every rank has just written. From which size on copies through the kernel beat
/// segments through the window, and how long a segment is best, depends on the processor. Where
/// ranks share cores nothing is tried: they take turns, and what that costs hides the rest. Takes
/// a quarter of a second. Collective, equal on all ranks; they are on one node.
SharedMemoryTuning tried_tuning(const Communicator& communicator);

/// What both ways took at one size.
struct TrialTimes {
    std::int64_t size_bytes = 0;
    double staged_s = 0.0;
    double copied_s = 0.0;
};

/// The smallest size from which on copies are the faster at all sizes tried, by more than a
/// twentieth; 0 where they are not at the largest.
std::int64_t copies_pay_from(const std::vector<TrialTimes>& ascending);

/// What each of several ways takes for vectors of a size.
using TimesOfWays = std::function<std::vector<double>(std::int64_t size_bytes,
                                                      const std::vector<SharedMemoryTuning>& ways)>;

/// The tuning that is the fastest by these times: first the segment, then, between staged and
/// copied vectors with that segment, the size from which on to copy. Local. Each of the
/// ranks has a core of its own.
SharedMemoryTuning fastest_tuning(int ranks, const TimesOfWays& times_s);

/// Sorts the times of runs in which ways took turns, those of one rank after those of another: of
/// each way, for each of its turns, the slowest rank's.
std::vector<std::vector<double>> rounds_of_each(const std::vector<double>& gathered, int ranks,
                                                std::size_t ways);

}  // namespace shardstone::collectives
