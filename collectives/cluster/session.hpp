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

/// Starts MPI, runs `body` with the communicator of all ranks, ends MPI; returns the exit code.
/// Puts the process on short time slices (time_slice.hpp).
///
/// An AgreedError ends every rank in order with code 2, printed once. Any other exception is
/// printed in one line naming rank and node, and the whole job is ended (code 2 for an Error and
/// for what the system refused, 1 for a bug): no rank is left waiting.
int run_session(const std::function<int(Communicator&)>& body);

}  // namespace shardstone::collectives
