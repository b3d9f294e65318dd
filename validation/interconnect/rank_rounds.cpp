// SPDX-License-Identifier: BSD-3-Clause
// Round robins of first ranks of nodes, and of the ranks of every node.
#include "validation/interconnect/rank_rounds.hpp"

#include <algorithm>
#include <span>

#include "validation/interconnect/round_robin.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::LinkRound;

/// The round robin of these ranks.
std::vector<LinkRound> rounds_of(std::span<const int> ranks) {
    std::vector<LinkRound> rounds;
    for (const RoundOfPairs& pairs : round_robin(static_cast<int>(ranks.size()))) {
        LinkRound& round = rounds.emplace_back();
        for (const auto& [first, second] : pairs) {
            round.push_back(
                {ranks[static_cast<std::size_t>(first)], ranks[static_cast<std::size_t>(second)]});
        }
    }
    return rounds;
}

}  // namespace

std::vector<LinkRound> rounds_between_nodes(const collectives::Topology& topology) {
    std::vector<int> firsts;
    for (int node = 0; node < topology.nodes(); ++node) {
        firsts.push_back(topology.ranks_on(node).front());
    }
    return rounds_of(firsts);
}

std::vector<LinkRound> rounds_inside_nodes(const collectives::Topology& topology,
                                           bool one_at_a_time) {
    std::vector<LinkRound> all;
    for (int node = 0; node < topology.nodes(); ++node) {
        auto rounds = rounds_of(topology.ranks_on(node));
        if (one_at_a_time) rounds = one_by_one(rounds);
        all.resize(std::max(all.size(), rounds.size()));
        for (std::size_t i = 0; i < rounds.size(); ++i) {
            all[i].insert(all[i].end(), rounds[i].begin(), rounds[i].end());
        }
    }
    return all;
}

std::vector<LinkRound> one_by_one(const std::vector<LinkRound>& rounds) {
    std::vector<LinkRound> singles;
    for (const LinkRound& round : rounds) {
        for (const auto& pair : round) singles.push_back({pair});
    }
    return singles;
}

}  // namespace shardstone::validation
