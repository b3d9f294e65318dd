// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/collectives/sweep/plan.hpp"

namespace shardstone::benchmarks {

/// The operations and algorithms selected by --op, --algorithm and --in-place. A named algorithm
/// applies to every operation that has one of that name; a named operation must have one. Throws
/// Error naming the unknown word, and the choices. Local.
std::vector<OperationPlan> selected_operations(const SweepOptions& options);

}  // namespace shardstone::benchmarks
