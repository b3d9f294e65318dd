// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Starts MPI, runs `body` with the communicator of all ranks, ends MPI; returns the exit code.
/// Puts the process on short time slices (time_slice.hpp).
///
/// An AgreedError ends every rank in order with its code, printed once. Any other exception is
/// printed in one line naming rank and node, and the whole job is ended with its code
/// (ExitCode::our_bug where it has none): no rank is left waiting. That line stands in the failure
/// log (failure_log.hpp), too, on the disk before the launcher hears of anything.
int run_session(const std::function<int(Communicator&)>& body);

}  // namespace shardstone::collectives
