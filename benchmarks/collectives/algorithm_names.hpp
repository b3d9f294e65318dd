// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

/// Names of the algorithms, in the same order.
inline std::vector<std::string> names_of(const std::vector<collectives::Algorithm>& algorithms) {
    std::vector<std::string> names;
    for (const collectives::Algorithm& algorithm : algorithms) names.push_back(algorithm.name);
    return names;
}

}  // namespace shardstone::benchmarks
