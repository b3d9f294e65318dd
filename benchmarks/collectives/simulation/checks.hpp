// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/simulation/simulation.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Ranks up to which a schedule is proved anew; the proof follows the contributions of all ranks
/// through all steps, which on thousands takes longer than the simulation.
constexpr int most_proved_ranks = 32;

/// What stands behind a prediction: of every point, that as many bytes were received as sent and
/// crossed the links as the schedule sends; of every algorithm and number of ranks, that the
/// checker proves its schedule (on the first most_proved_ranks ranks where there are more).
std::vector<results::Check> simulation_checks(const SimulationPlan& plan,
                                              const std::vector<SimulatedPoint>& points);

}  // namespace shardstone::benchmarks
