// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// Runs a rank's program over MPI point-to-point messages. Collective.
///
/// Nothing blocks: progress() calls MPI_Testsome and posts messages that have become possible.
/// Memory and requests are allocated here and reused; running allocates nothing (except the first
/// run that needs a vector of its own, see Workspace). Each channel has a tag of its own from the
/// communicator's range, so several executors can be in flight. Messages over
/// `largest_message_bytes` are split, equally at both ends.
std::unique_ptr<Executor> make_point_to_point(Communicator& communicator,
                                              const RankProgram& program,
                                              const Operation& operation,
                                              const CollectiveSpec& spec,
                                              std::int64_t largest_message_bytes = 1 << 30);

}  // namespace shardstone::collectives
