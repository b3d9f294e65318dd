// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree broadcast. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.4.
//
// Who has the vector sends it to the rank half as far away as in the step before.
//
// Steps: ceil(log2 P), the fewest. Volume: the root sends ceil(log2 P) vectors, the others fewer.
#include <bit>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

int levels(int size) {
    return std::bit_width(static_cast<unsigned>(size - 1));
}

constexpr BlockRange whole{0, 1};

RankProgram program(const Topology& topology, int rank) {
    const int size = topology.size();
    ProgramBuilder tree(1);
    for (int level = 0; level < levels(size); ++level) {
        const int bit = 1 << level;
        const int step = levels(size) - 1 - level;
        if ((rank & bit) != 0) {
            tree.receive_replace(step, rank - bit, whole);
            break;
        }
        if (rank + bit < size) {
            tree.send(step, rank + bit, whole);
        }
    }
    return tree.build();
}

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.operation = "broadcast";
    algorithm.name = "binomial_tree";
    algorithm.summary = "from those who have it to those half as far away; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "ceil(log2 P)";
    algorithm.steps = [](const Topology& topology) { return levels(topology.size()); };
    algorithm.volume = [](const Topology& topology) { return 1.0 * levels(topology.size()); };
    algorithm.program = program;
    return algorithm;
}

const AlgorithmRegistration registration(binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
