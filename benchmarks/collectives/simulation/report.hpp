// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/collectives/simulation/simulation.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// The basis of the figures, and the names of the columns.
std::string simulation_heading(const SimulationPlan& plan);

/// A line for every point; the fastest is marked.
std::string simulation_rows(const SimulatedGroup& group);

/// A record of kind "simulation": the description and the options in force, with nothing simulated
/// yet. It never contains samples, so that no report treats it as a measurement.
results::Record begin_record(const SimulationOptions& options, const SimulationPlan& plan,
                             const std::vector<std::string>& command_line);

/// Adds tables, and their checks (checks.hpp).
void complete_record(const SimulationPlan& plan, const std::vector<SimulatedPoint>& points,
                     results::Record& record);

}  // namespace shardstone::benchmarks
