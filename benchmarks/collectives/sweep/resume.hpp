// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/point.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// The points in a record of a sweep, as one text that rank 0 sends to the others, and the reverse.
/// Local.
std::string finished_points_text(const results::Record& earlier);
std::set<PointName> finished_points(const std::string& text);

/// Throws Error for a finished point of an algorithm that the plan lacks. Local.
void require_planned(const SweepPlan& plan);

/// The points themselves, in their order, with the data needed for table, findings and notes:
/// without the ranks' own times. The options are those of the continued sweep. Local.
std::vector<SweepPoint> points_in(const results::Record& earlier, const SweepOptions& options);

/// Identification of a point.
PointName name_of(const SweepPoint& point);

}  // namespace shardstone::benchmarks
