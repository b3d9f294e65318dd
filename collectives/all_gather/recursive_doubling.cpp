// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.1.
//
// Partners at distance 1, 2, 4, ... exchange all shares they have: recursive halving run backwards.
// Where P is no power of two, each of the first P - p odd ranks gives its share to its left
// neighbour, which stands for both, and gets the whole vector at the end.
//
// With p the largest power of two not above P, and f = 1 when P > p, else 0:
// Steps: log2 p + 2 f. Volume: (P - 1) / P for a power of two; else rank 0 sends in step k the
// shares of 2^k ranks and of their neighbours, of whom there are P - p, and at the end the vector.
#include <algorithm>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

namespace {

double volume(const Topology& topology) {
    const int size = topology.size();
    const int core = power_of_two_below(size);
    int shares = size > core ? size : 0;
    for (int members = 1; members < core; members *= 2) {
        shares += members + std::min(members, size - core);
    }
    return 1.0 * shares / size;
}

Algorithm recursive_doubling() {
    Algorithm algorithm;
    algorithm.name = "recursive_doubling";
    algorithm.summary = "partners at growing distance exchange all they have; few steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "log2 p + 2 f  (p: largest power of two <= P; f: 1 if P > p else 0)";
    algorithm.volume_formula = "(sum of d + min(d, P - p) over d = 1, 2, 4 ... p / 2) / P + f";
    algorithm.steps = [](const Topology& topology) {
        return find_algorithm("reduce_scatter", "recursive_halving").steps(topology);
    };
    algorithm.volume = volume;
    algorithm.program = backwards_of("reduce_scatter", "recursive_halving");
    return algorithm;
}

const AlgorithmRegistration recursive_doubling_registration("all_gather", recursive_doubling());

}  // namespace

}  // namespace shardstone::collectives
