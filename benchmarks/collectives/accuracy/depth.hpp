// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

/// Maximum number of additions of any contribution on its way into any rank's result, computed from
/// the schedule: a sent value carries the length of its longest path, and a receive_reduce adds one
/// to the longer of two paths.
///
/// A ring gives P - 1, a tree or recursive doubling about log2 P: these numbers are not stored
/// anywhere but follow from the messages. Throws Error if a message has no sender.
int additions_on_longest_path(const collectives::Schedule& schedule);

/// Depth of an algorithm over these ranks; without a schedule P - 1, the upper bound for any order
/// of adding P numbers once each.
int summation_depth(const collectives::Algorithm& algorithm, const collectives::Topology& topology,
                    int root);

}  // namespace shardstone::benchmarks
