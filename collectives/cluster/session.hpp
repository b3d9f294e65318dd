// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Name of this node, as MPI gives it.
std::string node_name();

/// "MPICH 4.0.2 (CH4:UCX)" or what the library says of itself; one line.
std::string mpi_library();

/// The device that MPICH and its derivatives were built with, "ch4:ucx"; empty for others.
std::string mpi_device();

/// The rank that the launcher gave this process, known before MPI is started; 0 without a launcher.
int launcher_rank();

/// How many processes the launcher started, likewise; 1 without a launcher, or where it does not
/// tell.
int launcher_size();

/// Starts MPI, runs `body` with the communicator of all ranks, ends MPI; returns the exit code.
/// Puts the process on short time slices (time_slice.hpp).
///
/// An AgreedError ends every rank in order with its code, printed once. Any other exception is
/// printed in one line naming rank and node, and the whole job is ended with its code
/// (ExitCode::our_bug where it has none): no rank is left waiting. That line stands in the failure
/// log (failure_log.hpp), too, on the disk before the launcher hears of anything.
int run_session(const std::function<int(Communicator&)>& body);

}  // namespace shardstone::collectives
