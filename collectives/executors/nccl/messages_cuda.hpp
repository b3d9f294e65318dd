// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/executor.hpp"

namespace shardstone::collectives {

/// Runs the schedule of `algorithm` over ncclSend and ncclRecv: round after round (rounds.hpp), in
/// each the messages as one group, followed by our own reductions of the received data. Collective.
std::unique_ptr<Executor> make_nccl_messages(Communicator& communicator, const Algorithm& algorithm,
                                             const CollectiveSpec& spec);

}  // namespace shardstone::collectives
