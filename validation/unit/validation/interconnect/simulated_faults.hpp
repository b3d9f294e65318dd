// SPDX-License-Identifier: BSD-3-Clause
// Small clusters with one fault each, for tests of what is made of their times.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "validation/interconnect/simulated_cluster.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

/// 18 nodes of 2 rails on leaves of 6 nodes with 2 uplink ports: places 2 node + rail, leaf of node
/// 9 and rail 1: 3. With two leaves per rail, up from one would be down to the other.
inline constexpr SimulatedShape small_shape{
    .nodes = 18, .rails = 2, .nodes_per_leaf = 6, .uplinks = 2};
inline constexpr int repetitions_of_small = 5;

inline SimulatedCluster small_cluster(const std::vector<InjectedFault>& faults,
                                      std::uint64_t seed = 1) {
    SimulatedCluster cluster(small_shape, {}, seed);
    for (const auto& fault : faults) cluster.inject(fault);
    return cluster;
}

/// "node 3; cable of NIC 0 of node 7, incoming", sorted
inline std::string names_of(const Suspicion& suspicion, const std::vector<Place>& places) {
    std::set<std::string> sorted;
    for (const auto& suspect : suspicion.suspects) {
        sorted.insert(name_of(suspect.component, places));
    }
    std::string names;
    for (const auto& name : sorted) names += (names.empty() ? "" : "; ") + name;
    return names;
}

}  // namespace shardstone::validation
