// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A fault in a schedule. Fields that do not apply (such as the step of a contribution missing at
/// the end) are -1.
struct Fault {
    int rank = -1;
    int channel = -1;
    int step = -1;
    int block = -1;
    std::string what;  ///< one line that names all of the above
};

/// Proves, without MPI and without data, that a schedule achieves its operation, or reports the
/// fault.
///
/// 1. Form: all ranks have the same channels, which own every block exactly once; actions are
///    sorted and stay within their channel's blocks (so channels cannot disturb each other).
/// 2. Matching: every message has its other end in the same channel and step, over the same
///    blocks (as many blocks, where the operation moves data between places). With rendezvous
///    semantics (a send ends only when its receive is posted) this rules out deadlock: among the
///    ranks that have not finished a channel take one at the lowest step; its partners of that step
///    have not passed it either, since a step ends with all its messages, nor are they before it.
///    So that step can always complete.
/// 3. Data: contributions are followed as sets of ranks. Nothing is sent that was never set. No
///    block is received over what the same step sends or receives; no reduce counts a contribution
///    twice or mixes different data; no replace loses a contribution; at the end every rank holds
///    in every block exactly what the operation wants there.
std::optional<Fault> check_schedule(const Schedule& schedule);

}  // namespace shardstone::collectives
