// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>

#include "collectives/cluster/topology.hpp"

/// Steps and volumes shared by many algorithms, each with its formula as text.
namespace shardstone::collectives::count {

/// "P - 1"
inline int others(const Topology& topology) {
    return topology.size() - 1;
}

/// "ceil(log2 P)"
inline int log2_up(const Topology& topology) {
    return std::bit_width(static_cast<unsigned>(topology.size() - 1));
}

/// "log2 p", with p the largest power of two that is not above P
inline int log2_down(const Topology& topology) {
    return std::bit_width(static_cast<unsigned>(topology.size())) - 1;
}

/// "f": 1 where ranks beyond a power of two are folded into partners, else 0
inline int folds(const Topology& topology) {
    return std::has_single_bit(static_cast<unsigned>(topology.size())) ? 0 : 1;
}

/// "1  (P = 1: 0)"
inline int one_step(const Topology& topology) {
    return topology.size() > 1 ? 1 : 0;
}

/// "1": no rank sends more than the vector, once; one that is alone sends nothing.
inline double one_vector(const Topology& topology) {
    return topology.size() > 1 ? 1.0 : 0.0;
}

/// "(P - 1) / P": all of the vector but one share.
inline double all_but_a_share(const Topology& topology) {
    return 1.0 * (topology.size() - 1) / topology.size();
}

/// "2 (p - 1) / p + f": halves there and back, and the vector for a folded rank.
inline double halves_both_ways(const Topology& topology) {
    const int core = 1 << log2_down(topology);
    return 2.0 * (core - 1) / core + folds(topology);
}

}  // namespace shardstone::collectives::count
