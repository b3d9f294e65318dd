// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree reduction. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.6.
//
// In step k, a rank whose lowest set bit is 2^k sends its sum to the rank without that bit.
//
// Steps: ceil(log2 P), the fewest. Volume: every rank but the root sends 1 vector.
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
        const int step = level;
        if ((rank & bit) != 0) {
            tree.send(step, rank - bit, whole);
            break;
        }
        if (rank + bit < size) {
            tree.receive_reduce(step, rank + bit, whole);
        }
    }
    return tree.build();
}

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.operation = "reduce";
    algorithm.name = "binomial_tree";
    algorithm.summary = "pairs of growing distance add up towards the root; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "1";
    algorithm.steps = [](const Topology& topology) { return levels(topology.size()); };
    algorithm.volume = [](const Topology& topology) { return topology.size() > 1 ? 1.0 : 0.0; };
    algorithm.program = program;
    return algorithm;
}

const AlgorithmRegistration registration(binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
