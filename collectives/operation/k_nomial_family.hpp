// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

// What "k_nomial:K" is in every operation that has it. M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023.

/// All but the program and the volume of an algorithm that goes through a tree of that radix once.
Algorithm through_k_nomial_tree(int radix);

/// The family of what `make` returns for a radix from 2 to 1024; 4 stands for it in "all".
AlgorithmFamily k_nomial_family(Algorithm (*make)(int radix));

}  // namespace shardstone::collectives
