// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree scatter. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.1.
//
// Who has the shares of a subtree sends those of its far half to the rank that heads it.
//
// Steps: ceil(log2 P), the fewest. Volume: the root sends (P - 1) / P of the vector.
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
        const int step = levels(size) - 1 - level;
        if ((rank & bit) != 0) {
            tree.receive_replace(step, rank - bit, subtree(rank, bit, size));
            break;
        }
        if (rank + bit < size) {
            tree.send(step, rank + bit, subtree(rank + bit, bit, size));
        }
    }
    return tree.build();
}

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.operation = "scatter";
    algorithm.name = "binomial_tree";
    algorithm.summary = "halves of what is left go to the rank that heads them; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = [](const Topology& topology) { return levels(topology.size()); };
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * (topology.size() - 1) / topology.size();
    };
    algorithm.program = program;
    return algorithm;
}

const AlgorithmRegistration registration(binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
