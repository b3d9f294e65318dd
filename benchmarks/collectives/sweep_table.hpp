// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep.hpp"

namespace shardstone::benchmarks {

/// The heading of the sweep's table, as lines, with what was measured on what.
std::string table_heading(const SweepOptions& options, const collectives::Topology& topology);

/// The cost model's parameters in one line.
std::string costs_line(const collectives::CostParameters& costs);

/// One line of the table.
std::string table_row(const SweepPoint& point);

/// Best algorithm per size against the library's own, where both were measured, and the checks.
std::string table_findings(const Sweep& sweep);

/// All algorithms with their steps, volume and source, for --list.
std::string list_of_algorithms();

}  // namespace shardstone::benchmarks
