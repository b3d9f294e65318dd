// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// "hierarchical:INNER/OUTER" for the all-gather or the reduce-scatter, with its members in "all":
/// OUTER between the nodes on every lane, INNER inside each node over everything that its lanes
/// have received, or the two in the opposite order (levels.hpp; for steps and volume see
/// all_gather/hierarchical.cpp).
AlgorithmFamily hierarchical_shares(const std::string& operation, std::vector<std::string> members);

}  // namespace shardstone::collectives
