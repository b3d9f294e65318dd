// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/simulation/simulation.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Ranks up to which a schedule is proved; the proof follows the contributions of all ranks through
/// all steps, which for thousands takes longer than the simulation.
constexpr int most_proved_ranks = 32;

/// Checks of a prediction: for every point, that the bytes received and the bytes over the links
/// equal those sent by the schedule; for every algorithm and number of ranks, that the checker
/// proves its schedule (on the first most_proved_ranks ranks if there are more).
std::vector<results::Check> simulation_checks(const SimulationPlan& plan,
                                              const std::vector<SimulatedPoint>& points);

}  // namespace shardstone::benchmarks
