// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "benchmarks/training/overlap_benchmark.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Checks of the figures: both trainings have identical results (unless they are paced), bytes sent
/// equal those of the step program, and, if a limit is given, the exposed ratio is below it with
/// its whole interval. The same on all ranks. Collective.
std::vector<results::Check> checks_of(const collectives::Communicator& world,
                                      const OverlapTiming& timing,
                                      std::optional<double> ratio_limit);

/// Requested checks that cannot be decided because the machine was busy; empty if they can.
std::string undecided(const OverlapTiming& timing, std::optional<double> ratio_limit);

/// Fills configuration, samples ("overlapped", "apart": a row per round) and derived ("summary").
void fill_record(results::Record& record, const OverlapSetup& setup, const OverlapTiming& timing);

}  // namespace shardstone::benchmarks
