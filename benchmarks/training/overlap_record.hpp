// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "benchmarks/training/overlap_benchmark.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// "7 of 20 rounds were measured"
std::string progress_of(const OverlapSetup& setup, std::size_t rounds);

/// Fills the configuration, as far as it is known before anything was measured.
void begin_overlap_record(results::Record& record, const OverlapSetup& setup);

/// The last round of these, for the journal.
results::Record last_round_of(const StepTimes& overlapped, const StepTimes& apart);

/// Checks of the figures: both trainings have identical results (unless they are paced), bytes sent
/// equal those of the step program, and, if a limit is given, the exposed ratio is below it with
/// its whole interval. Of a measurement that was stopped only that it trained and sent what it had
/// to. The same on all ranks. Collective.
std::vector<results::Check> checks_of(const collectives::Communicator& world,
                                      const OverlapTiming& timing,
                                      std::optional<double> ratio_limit);

/// Requested checks that cannot be decided because the machine was busy; empty if they can.
std::string undecided(const OverlapTiming& timing, std::optional<double> ratio_limit);

/// Fills configuration, samples ("overlapped", "apart": a row per round) and derived ("summary").
void fill_record(results::Record& record, const OverlapSetup& setup, const OverlapTiming& timing);

}  // namespace shardstone::benchmarks
