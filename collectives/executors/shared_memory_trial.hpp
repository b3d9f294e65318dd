// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/executors/shared_memory.hpp"

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

}  // namespace shardstone::collectives
