// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

/// The most additions that any contribution passes through on its way into any rank's result, by
/// following the schedule: a value that was sent carries the length of its longest path along, a
/// receive_reduce makes the longer of two paths longer by one.
///
/// A ring gives P - 1, a tree or recursive doubling about log2 P: nothing of that is written down
/// anywhere, it comes from the messages. Throws Error when a message has no sender.
int additions_on_longest_path(const collectives::Schedule& schedule);

/// That of an algorithm over these ranks; P - 1 where there is no schedule to follow, which no
/// order of adding up P numbers once each exceeds.
int summation_depth(const collectives::Algorithm& algorithm, const collectives::Topology& topology,
                    int root);

}  // namespace shardstone::benchmarks
