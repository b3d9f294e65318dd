// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep/options.hpp"

namespace shardstone::benchmarks {

/// The requested operations and algorithms (--op, --algorithm), with steps, volume and source, and
/// the number of pairs. Throws Error naming an unknown word.
std::string list_of_algorithms(const SweepOptions& options);

}  // namespace shardstone::benchmarks
