// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/training/step_benchmark.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Checks that the step learns on every rank, and is not faster than the peak of a core, or GPU,
/// allows.
std::vector<results::Check> checks_of(const StepTiming& timing);

/// Fills configuration, samples, derived tables (results/schema/arithmetic.hpp) and checks of a new
/// record of kind "step", from the data on rank 0 of `ranks` ranks.
void fill_step_record(const StepSetup& setup, int ranks, const StepTiming& timing,
                      const Watched& watched, results::Record& record);

}  // namespace shardstone::benchmarks
