// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

// The parts of "k_nomial:K" common to all its operations. M. Wilkins et al., "Generalized
// collective algorithms for the exascale era", IEEE Cluster 2023.

/// An algorithm that traverses a tree of this radix once, without its program and volume.
Algorithm through_k_nomial_tree(int radix);

/// The family of the algorithms that `make` returns for radices from 2 to 1024; "all" includes
/// radix 4.
AlgorithmFamily k_nomial_family(Algorithm (*make)(int radix));

}  // namespace shardstone::collectives
