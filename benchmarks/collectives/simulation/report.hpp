// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/collectives/simulation/simulation.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// What the figures stand on, and the names of the columns.
std::string simulation_heading(const SimulationPlan& plan);

/// A line for every point; the fastest is marked.
std::string simulation_rows(const SimulatedGroup& group);

/// A record of kind "simulation": the description and the options in force, nothing yet simulated.
/// It will hold no check and no sample, so that no report takes it for a measurement.
results::Record begin_record(const SimulationOptions& options, const SimulationPlan& plan,
                             const std::vector<std::string>& command_line);

/// Tables, and the checks behind them (checks.hpp).
void complete_record(const SimulationPlan& plan, const std::vector<SimulatedPoint>& points,
                     results::Record& record);

}  // namespace shardstone::benchmarks
