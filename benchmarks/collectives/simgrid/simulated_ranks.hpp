// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/collectives/simulation/simulation.hpp"

namespace shardstone::benchmarks {

/// One collective on so many ranks, as SimGrid has it.
struct SimGridPoint {
    std::string algorithm;
    int ranks = 1;
    std::int64_t size_bytes = 0;
    double time_s = 0.0;  ///< from the common start until the last rank has finished
};

/// Runs every rank count, algorithm and size of the plan, an all-reduce, in SMPI: our schedules,
/// plans and executor over messages, unchanged, by one simulated process per rank. Sums of vectors
/// up to 1 MiB are checked, longer ones are not carried along (FoldingScope); the bytes sent are
/// checked against the schedule always.
///
/// SimGrid knows one simulation per process: call it once. Throws Error when a run deadlocks, and
/// std::runtime_error when sums or bytes are wrong.
std::vector<SimGridPoint> run_in_simgrid(const SimulationPlan& plan, double bandwidth_factor);

}  // namespace shardstone::benchmarks
