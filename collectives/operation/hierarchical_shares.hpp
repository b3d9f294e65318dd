// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// "hierarchical:INNER/OUTER" of the all-gather or of the reduce-scatter, with the names that stand
/// for it in "all": OUTER between the nodes on every lane, INNER inside each node over all that its
/// lanes have got, or the two the other way round (levels.hpp; for steps and volume see
/// all_gather/hierarchical.cpp).
AlgorithmFamily hierarchical_shares(const std::string& operation, std::vector<std::string> members);

}  // namespace shardstone::collectives
