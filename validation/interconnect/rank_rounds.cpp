// SPDX-License-Identifier: BSD-3-Clause
// Round robins of nodes, by each of their NICs, and of the ranks of every node.
#include "validation/interconnect/rank_rounds.hpp"

#include <algorithm>
#include <span>

#include "benchmarks/interconnect/rails.hpp"
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

/// Each round of `more` at the same time as one of `all`.
void add_at_once(const std::vector<LinkRound>& more, std::vector<LinkRound>& all) {
    all.resize(std::max(all.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) {
        all[i].insert(all[i].end(), more[i].begin(), more[i].end());
    }
}

}  // namespace

std::vector<LinkRound> rounds_between_nodes(const collectives::Topology& topology, int rails) {
    std::vector<LinkRound> all;
    for (int rail = 0; rail < rails; ++rail) {
        std::vector<int> firsts;
        for (int node = 0; node < topology.nodes(); ++node) {
            firsts.push_back(benchmarks::first_of_rail(topology, node, rail, rails));
        }
        add_at_once(rounds_of(firsts), all);
    }
    return all;
}

std::vector<LinkRound> rounds_inside_nodes(const collectives::Topology& topology,
                                           bool one_at_a_time) {
    std::vector<LinkRound> all;
    for (int node = 0; node < topology.nodes(); ++node) {
        const auto rounds = rounds_of(topology.ranks_on(node));
        add_at_once(one_at_a_time ? one_by_one(rounds) : rounds, all);
    }
    return all;
}

}  // namespace shardstone::validation
