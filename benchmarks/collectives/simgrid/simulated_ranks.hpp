// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/collectives/simulation/simulation.hpp"

namespace shardstone::benchmarks {

/// One collective simulated by SimGrid.
struct SimGridPoint {
    std::string algorithm;
    int ranks = 1;
    std::int64_t size_bytes = 0;
    double time_s = 0.0;  ///< from the common start until the last rank has finished
};

/// Runs every rank count, algorithm and size of the plan, an all-reduce, in SMPI: our schedules,
/// plans and executor over messages, unchanged, with one simulated process per rank. Sums of
/// vectors up to 1 MiB are checked, longer ones are not stored (FoldingScope); the bytes sent are
/// always checked against the schedule.
///
/// SimGrid supports one simulation per process: call it once. Throws Error if a run deadlocks, and
/// std::runtime_error if sums or bytes are wrong.
std::vector<SimGridPoint> run_in_simgrid(const SimulationPlan& plan, double bandwidth_factor);

}  // namespace shardstone::benchmarks
