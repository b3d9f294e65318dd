// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/collectives/sweep/point.hpp"
#include "results/schema/collectives.hpp"

namespace shardstone::benchmarks {

// The rows of a sweep's record.

std::vector<results::CollectiveSampleRow> sample_rows(const Sweep& sweep);
std::vector<results::CollectiveRow> point_rows(const Sweep& sweep);
std::vector<results::CostParameterRow> cost_rows(const Sweep& sweep);
std::vector<results::NoiseFloorRow> noise_floor_rows(const Sweep& sweep);
std::vector<results::NoiseFloorRoundRow> noise_floor_round_rows(const Sweep& sweep);

}  // namespace shardstone::benchmarks
