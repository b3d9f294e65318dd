// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/executors/plan.hpp"

namespace shardstone::collectives {

/// What a rank exchanges at a time: transfers of its plan, by index, in the order in which they are
/// put into the group.
using Round = std::vector<int>;

/// The rounds of a plan, for a library that takes one group of messages after another and does not
/// begin one before the last has ended (ncclGroupStart to ncclGroupEnd on one stream). `segments`:
/// how many copies segmented() has cut the program into.
///
/// Step s of segment k is in round s + k. Every rank works that out alike, whatever else it has to
/// do, so both ends of a message are in the same round; the ranks at the lowest unfinished round
/// always have their partners there: no deadlock. (Merged by each rank's own count of non-empty
/// steps they would not be, since ranks skip different steps.) Segments are one round apart, which
/// makes them a pipeline; other channels, such as the two trees of a double tree, go side by side.
///
/// Within a round the transfers are in the order of channels and then of the plan. Both ends of two
/// messages between the same ranks have that order, by which the library tells them apart.
std::vector<Round> rounds_of(const TransferPlan& plan, int segments);

}  // namespace shardstone::collectives
