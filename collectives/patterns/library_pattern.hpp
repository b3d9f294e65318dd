// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// "mpi" for any pattern: its messages as written by a user of the MPI library.
Algorithm library_pattern();

}  // namespace shardstone::collectives
