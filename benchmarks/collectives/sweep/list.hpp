// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::benchmarks {

/// All operations with all their algorithms, steps, volume and source, and how many pairs they are.
std::string list_of_algorithms();

}  // namespace shardstone::benchmarks
