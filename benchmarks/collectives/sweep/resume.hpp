// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// The points that a record of a sweep holds, as one text that rank 0 sends to the others, and
/// back. Local.
std::string finished_points_text(const results::Record& earlier);
std::set<PointName> finished_points(const std::string& text);

}  // namespace shardstone::benchmarks
