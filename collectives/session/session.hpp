// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Starts MPI, runs `body` with the communicator of all ranks, ends MPI; returns the exit code.
/// Puts the process on short time slices (time_slice.hpp).
///
/// An AgreedError ends every rank in order with its code, printed once. Any other exception is
/// printed in one line naming rank and node, and the whole job ends with its code
/// (ExitCode::our_bug if it has none): no rank is left waiting. That line is also in the failure
/// log (failure_log.hpp), on disk before the launcher is told.
int run_session(const std::function<int(Communicator&)>& body);

}  // namespace shardstone::collectives
