// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

#include "benchmarks/harness/outliers.hpp"

namespace shardstone::benchmarks {

/// A standstill encoded for messages between ranks.
using StandstillNumbers = std::array<double, 9>;

StandstillNumbers numbers_of(const Standstill& seen, const Occasion& at);

/// The inverse of numbers_of(), for a rank on a node. Pure.
RankStandstill standstill_of(std::span<const double, 9> numbers, int rank, int node);

}  // namespace shardstone::benchmarks
