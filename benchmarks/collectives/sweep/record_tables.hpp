// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "benchmarks/collectives/sweep/point.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::benchmarks {

// The rows of a sweep's record.

std::vector<results::CollectiveSampleRow> sample_rows(const SweepPoint& point);
results::CollectiveRow point_row(const SweepPoint& point);
std::vector<results::OutlierRow> outlier_rows(const SweepPoint& point);
std::vector<results::RankTimesRow> rank_times_rows(const SweepPoint& point);
results::NoiseFloorRow noise_floor_row(const NoiseFloor& floor);
std::vector<results::NoiseFloorRoundRow> noise_floor_round_rows(const NoiseFloor& floor);
/// Parameters of the cost model; `calibration` gives the conditions of their measurement, nothing
/// if they were given.
std::vector<results::CostParameterRow> cost_rows(const collectives::ClusterDescription& cluster,
                                                 const std::optional<Watched>& calibration);

}  // namespace shardstone::benchmarks
