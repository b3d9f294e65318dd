// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/collectives/sweep/plan.hpp"

namespace shardstone::benchmarks {

/// What --op, --algorithm and --in-place stand for. An algorithm that was named goes with every
/// operation that has one of that name; an operation that was named must have one. Throws Error
/// naming the word that means nothing, and the choices. Local.
std::vector<OperationPlan> selected_operations(const SweepOptions& options);

}  // namespace shardstone::benchmarks
