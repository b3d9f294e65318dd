// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical all-gather, "hierarchical:INNER/OUTER", any two other all-gathers. J. L. Traeff and
// A. Rougier, "MPI collectives and datatypes for hierarchical all-to-all communication", EuroMPI
// 2014 ("full-lane": every rank talks to its counterparts on the other nodes, so that all of a
// node's network links are used, and each share goes to each node once).
//
// OUTER between the nodes on every lane, then INNER inside each node over all that its lanes have
// got. On nodes with more ranks than the smallest one, lanes act for those beyond.
//
// With N nodes of m ranks, g = 1 when nodes differ in size, else 0:
// Steps: those of INNER on m + of OUTER on N + 2 g.
// Volume: of INNER on m + of OUTER on N / m. With uneven nodes, where a lane acts for up to e other
// ranks, no rank sends more than (1 + e) (N m INNER + N OUTER) / P + e.
#include "collectives/operation/hierarchical_shares.hpp"

namespace shardstone::collectives {

namespace {

const AlgorithmRegistration hierarchical_registration(
    "all_gather", hierarchical_shares("all_gather", {"ring/ring", "ring/bruck"}));

}  // namespace

}  // namespace shardstone::collectives
