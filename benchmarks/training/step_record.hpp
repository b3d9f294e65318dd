// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/training/step_benchmark.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// That the step learns on every rank, and is no quicker than a core can be.
std::vector<results::Check> checks_of(const StepTiming& timing);

/// Fills configuration, samples, derived tables (results/schema/arithmetic.hpp) and checks of a
/// fresh record of kind "step", from what rank 0 of so many ranks has.
void fill_step_record(const StepSetup& setup, int ranks, const StepTiming& timing,
                      const Watched& watched, results::Record& record);

}  // namespace shardstone::benchmarks
