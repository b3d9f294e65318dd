// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep/options.hpp"

namespace shardstone::benchmarks {

/// The operations and algorithms that were asked for (--op, --algorithm), with steps, volume and
/// source, and how many pairs they are. Throws Error naming a word that means nothing.
std::string list_of_algorithms(const SweepOptions& options);

}  // namespace shardstone::benchmarks
