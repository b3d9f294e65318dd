// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/executors/shared_memory/shared_memory.hpp"

namespace shardstone::collectives {

/// The fastest tuning on these ranks, determined once per process and number of ranks, on vectors
/// that every rank has just written. The size from which copies through the kernel are faster than
/// segments through the window, and the best segment length, depend on the processor. If ranks
/// share cores nothing is tried: the cost of sharing hides the differences. Takes a quarter of a
/// second. Collective, equal on all ranks; they are on one node.
SharedMemoryTuning tried_tuning(const Communicator& communicator);

/// Times of both methods at one size.
struct TrialTimes {
    std::int64_t size_bytes = 0;
    double staged_s = 0.0;
    double copied_s = 0.0;
};

/// The smallest size from which copies are faster at all sizes tried, by more than a twentieth; 0
/// if they are not at the largest.
std::int64_t copies_pay_from(const std::vector<TrialTimes>& ascending);

/// Times of several methods for vectors of one size.
using TimesOfWays = std::function<std::vector<double>(std::int64_t size_bytes,
                                                      const std::vector<SharedMemoryTuning>& ways)>;

/// The tuning that is the fastest by these times: first the segment, then, between staged and
/// copied vectors with that segment, the size from which on to copy. Local. Precondition: each rank
/// has a core of its own.
SharedMemoryTuning fastest_tuning(int ranks, const TimesOfWays& times_s);

/// Sorts the times of runs of alternating methods, listed rank by rank: for each method and each of
/// its runs, the time of the slowest rank.
std::vector<std::vector<double>> rounds_of_each(const std::vector<double>& gathered, int ranks,
                                                std::size_t ways);

}  // namespace shardstone::collectives
