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
#include "collectives/operation/hierarchical_shares.hpp"

namespace shardstone::collectives {

namespace {

const AlgorithmRegistration hierarchical_registration(
    "reduce_scatter", hierarchical_shares("reduce_scatter", {"ring/ring", "ring/circulant"}));

}  // namespace

}  // namespace shardstone::collectives
