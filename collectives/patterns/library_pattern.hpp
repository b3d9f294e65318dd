// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// "mpi" for any pattern: its messages as a user of the MPI library writes them.
Algorithm library_pattern();

}  // namespace shardstone::collectives
