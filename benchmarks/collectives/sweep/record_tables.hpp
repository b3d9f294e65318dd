// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/sweep/point.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

// The tables of a sweep's record; record.hpp says what they hold.

results::Table samples_table(const Sweep& sweep);
results::Table points_table(const Sweep& sweep);
results::Table costs_table(const collectives::CostParameters& costs);
results::Table noise_floor_table(const Sweep& sweep);
results::Table noise_floor_rounds_table(const Sweep& sweep);

}  // namespace shardstone::benchmarks
