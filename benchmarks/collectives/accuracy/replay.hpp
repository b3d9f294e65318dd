// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/collectives/accuracy/inputs.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::benchmarks {

/// Where a rank has its result of an operation that reduces, in the buffer of one that is in place;
/// empty where it has none.
collectives::Extent result_place(const collectives::Operation& operation,
                                 const collectives::CollectiveSpec& spec,
                                 const collectives::RankRole& role);

/// The results of all ranks, to the bit, by the order of additions that the algorithm's schedule
/// has: played in this process without an executor. Local. The algorithm has a schedule.
std::vector<std::vector<std::byte>> scheduled_results(const collectives::Algorithm& algorithm,
                                                      const collectives::Topology& topology,
                                                      const collectives::CollectiveSpec& spec,
                                                      const SumInputs& inputs);

}  // namespace shardstone::benchmarks
