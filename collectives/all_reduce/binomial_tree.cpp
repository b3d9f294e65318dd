// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: reduce to rank 0, then broadcast from it. R. Thakur et al. 2005, sections 4.2 and
// 4.4; the tree is that of the hypercube, e.g. S. L. Johnsson and C.-T. Ho, "Optimum broadcasting
// and personalized communication in hypercubes", IEEE Transactions on Computers 38(9), 1989.
//
// In reduce step k, a rank whose lowest set bit is 2^k sends its whole vector to the rank without
// that bit; the broadcast is the same in reverse.
//
// Steps: 2 ceil(log2 P). Volume: rank 0 sends ceil(log2 P) vectors, the others no more.
// In all only 2 (P - 1) messages are sent, the fewest, which counts when ranks share cores.
#include <bit>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange whole{0, 1};

int levels(int size) {
    return std::bit_width(static_cast<unsigned>(size - 1));
}

RankProgram program(const Topology& topology, int rank) {
    const int size = topology.size();
    const int last = 2 * levels(size) - 1;
    ProgramBuilder tree(1);
    for (int level = 0; level < levels(size); ++level) {
        const int bit = 1 << level;
        if ((rank & bit) != 0) {
            tree.send(level, rank - bit, whole);
            tree.receive_replace(last - level, rank - bit, whole);
            break;
        }
        if (rank + bit < size) {
            tree.receive_reduce(level, rank + bit, whole);
            tree.send(last - level, rank + bit, whole);
        }
    }
    return tree.build();
}

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.operation = "all_reduce";
    algorithm.name = "binomial_tree";
    algorithm.summary = "reduce to rank 0 and broadcast from it; the fewest messages";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "2 ceil(log2 P)";
    algorithm.volume_formula = "ceil(log2 P)";
    algorithm.steps = [](const Topology& topology) { return 2 * levels(topology.size()); };
    algorithm.volume = [](const Topology& topology) {
        return static_cast<double>(levels(topology.size()));
    };
    algorithm.program = program;
    return algorithm;
}

const AlgorithmRegistration registration(binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
