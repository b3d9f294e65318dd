// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/collectives/accuracy/inputs.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::benchmarks {

/// Location of a rank's result of a reducing operation, in the buffer of an in-place one; empty if
/// it has none.
collectives::Extent result_place(const collectives::Operation& operation,
                                 const collectives::CollectiveSpec& spec,
                                 const collectives::RankRole& role);

/// The results of all ranks, bitwise, by the order of additions of the algorithm's schedule:
/// simulated in this process without an executor. Local. The algorithm must have a schedule.
std::vector<std::vector<std::byte>> scheduled_results(const collectives::Algorithm& algorithm,
                                                      const collectives::Topology& topology,
                                                      const collectives::CollectiveSpec& spec,
                                                      const SumInputs& inputs);

}  // namespace shardstone::benchmarks
