// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/executors/plan.hpp"

namespace shardstone::collectives {

/// The transfers of a rank in one round, by index in its plan, in the order in which they are added
/// to the group.
using Round = std::vector<int>;

/// The rounds of a plan, for a library that executes groups of messages strictly one after the
/// other (ncclGroupStart to ncclGroupEnd on one stream). `segments`: number of copies made by
/// segmented().
///
/// Step s of segment k is in round s + k. Every rank computes this independently of its other work,
/// so both ends of a message are in the same round; the ranks at the lowest unfinished round always
/// find their partners there: no deadlock. (Merged by each rank's own count of non-empty steps they
/// would not be, since ranks skip different steps.) Segments are one round apart, which makes them
/// a pipeline; other channels, such as the two trees of a double tree, run concurrently.
///
/// Within a round the transfers are in the order of channels and then of the plan. Messages between
/// the same ranks have the same order at both ends, by which the library matches them.
std::vector<Round> rounds_of(const TransferPlan& plan, int segments);

}  // namespace shardstone::collectives
