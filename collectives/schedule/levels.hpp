// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

/// The two levels of a topology, reduced to equal nodes: as many lanes on each as the smallest has
/// ranks. Ranks beyond them are folded into the lanes, cyclically.
///
/// The topology between the nodes, whose ranks are the nodes, has levels of its own, for algorithms
/// that ask for more than two: its nodes are pods, of the largest number of nodes that divides
/// theirs and is not above its square root (16 nodes: 4 pods of 4; a prime number: no pods). The
/// actual switches are not known here; nodes are numbered by their lowest rank.
struct Levels {
    Topology inside;
    Topology between;
    int most_absorbed;  ///< by any rank

    explicit Levels(const Topology& topology);

    int lanes() const { return inside.size(); }
    int nodes() const { return between.size(); }
    int fold_steps() const { return most_absorbed > 0 ? 1 : 0; }
};

/// The fold of `rank`, into another or of others into it, for this number of lanes.
Fold fold_to_lanes(const Topology& topology, int rank, int lanes);

/// The ranks represented by lane `lane` of `node`: its own and those it absorbs.
std::vector<int> ranks_of_lane(const Topology& topology, int node, int lane, int lanes);

/// Mapping of a program of one channel whose blocks represent sets of shares.
struct SharePlacement {
    std::function<int(int rank)> rank;
    std::function<std::vector<int>(int block)> shares;  ///< the ranks whose they are
    int first_step = 0;
};

/// Adds every action of `program`, mapped, to `target`, whose block r is the share of rank r: one
/// action for every run of shares.
void embed_shares(const RankProgram& program, const SharePlacement& placement,
                  RankProgramBuilder& target);

}  // namespace shardstone::collectives
