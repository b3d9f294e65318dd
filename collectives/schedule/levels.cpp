// SPDX-License-Identifier: BSD-3-Clause
// A topology split into equal lanes in nodes and nodes in pods, and shares placed on its levels.
#include "collectives/schedule/levels.hpp"

#include <algorithm>

namespace shardstone::collectives {

namespace {

int nodes_per_pod(int nodes) {
    int pod = 1;
    for (int divisor = 2; divisor * divisor <= nodes; ++divisor) {
        if (nodes % divisor == 0) pod = divisor;
    }
    return pod;
}

/// Of sorted numbers.
std::vector<BlockRange> runs_of(const std::vector<int>& blocks) {
    std::vector<BlockRange> runs;
    for (const int block : blocks) {
        if (runs.empty() || runs.back().end() != block) runs.push_back({block, 0});
        ++runs.back().count;
    }
    return runs;
}

}  // namespace

Levels::Levels(const Topology& topology)
    : inside(Topology::one_node(topology.smallest_node())),
      between(Topology::blocked(topology.nodes(), nodes_per_pod(topology.nodes()))),
      most_absorbed((topology.largest_node() - 1) / topology.smallest_node()) {}

Fold fold_to_lanes(const Topology& topology, int rank, int lanes) {
    const int lane = topology.lane_of(rank);
    const auto ranks = ranks_of_lane(topology, topology.node_of(rank), lane % lanes, lanes);
    if (lane >= lanes) return {ranks.front(), {}};
    return {-1, {ranks.begin() + 1, ranks.end()}};
}

std::vector<int> ranks_of_lane(const Topology& topology, int node, int lane, int lanes) {
    const auto ranks = topology.ranks_on(node);
    std::vector<int> of_lane;
    for (auto l = static_cast<std::size_t>(lane); l < ranks.size();
         l += static_cast<std::size_t>(lanes)) {
        of_lane.push_back(ranks[l]);
    }
    return of_lane;
}

void embed_shares(const RankProgram& program, const SharePlacement& placement,
                  RankProgramBuilder& target) {
    for (const BlockTransfer& action : program.actions) {
        std::vector<int> shares;
        for (int block = action.blocks.first; block < action.blocks.end(); ++block) {
            const auto more = placement.shares(block);
            shares.insert(shares.end(), more.begin(), more.end());
        }
        std::ranges::sort(shares);
        for (const BlockRange run : runs_of(shares)) {
            target.add({action.kind, 0, action.step + placement.first_step,
                        placement.rank(action.peer), run});
        }
    }
}

}  // namespace shardstone::collectives
