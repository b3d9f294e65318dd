// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree gather. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.1 (the scatter in reverse).
//
// In step k, a rank whose lowest set bit is 2^k sends the shares it has to the rank without it.
//
// Steps: ceil(log2 P) = L, the fewest. Volume: the shares of the largest subtree below the root,
// that of rank 2^(L-1), or of rank 2^(L-2), which is always complete.
#include <algorithm>
#include <bit>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

int levels(int size) {
    return std::bit_width(static_cast<unsigned>(size - 1));
}

/// The shares of the ranks that hang below `rank`, itself included.
BlockRange subtree(int rank, int bit, int size) {
    return {rank, std::min(bit, size - rank)};
}

RankProgram program(const Topology& topology, int rank) {
    const int size = topology.size();
    ProgramBuilder tree(size);
    for (int level = 0; level < levels(size); ++level) {
        const int bit = 1 << level;
        const int step = level;
        if ((rank & bit) != 0) {
            tree.send(step, rank - bit, subtree(rank, bit, size));
            break;
        }
        if (rank + bit < size) {
            tree.receive_replace(step, rank + bit, subtree(rank + bit, bit, size));
        }
    }
    return tree.build();
}

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.operation = "gather";
    algorithm.name = "binomial_tree";
    algorithm.summary = "pairs of growing distance collect towards the root; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "max(P - 2^(L-1), 2^(L-2)) / P  (L: ceil(log2 P))";
    algorithm.steps = [](const Topology& topology) { return levels(topology.size()); };
    algorithm.volume = [](const Topology& topology) {
        const int size = topology.size();
        if (size < 3) return size == 2 ? 0.5 : 0.0;
        const int half = 1 << (levels(size) - 1);
        return 1.0 * std::max(size - half, half / 2) / size;
    };
    algorithm.program = program;
    return algorithm;
}

const AlgorithmRegistration registration(binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
