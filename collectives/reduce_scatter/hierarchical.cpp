// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical reduce-scatter, "hierarchical:INNER/OUTER", any two other reduce-scatters. For the
// levels see J. L. Traeff and A. Rougier, "MPI collectives and datatypes for hierarchical
// all-to-all communication", EuroMPI 2014.
//
// INNER inside each node, which leaves lane l the sums of what the lanes l of all nodes are to get,
// then OUTER between the nodes on every lane. On nodes with more ranks than the smallest one, lanes
// act for those beyond.
//
// Steps and volume: those of the hierarchical all-gather of the same names (all_gather/).
#include "collectives/operation/derive.hpp"
#include "collectives/operation/hierarchical_shares.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make(std::string_view arguments) {
    const std::string name = "hierarchical:" + std::string(arguments);
    const LevelNames names = level_names("hierarchical", arguments);
    return hierarchical_shares(find_level("reduce_scatter", names.inner, name),
                               find_level("reduce_scatter", names.outer, name));
}

const AlgorithmRegistration registration(AlgorithmFamily{"reduce_scatter",
                                                         "hierarchical",
                                                         "hierarchical:INNER/OUTER",
                                                         {"ring/ring", "ring/circulant"},
                                                         make});

}  // namespace

}  // namespace shardstone::collectives
