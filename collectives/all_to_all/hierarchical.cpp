// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical all-to-all, for equal shares. J. L. Traeff and A. Rougier, "MPI collectives and
// datatypes for hierarchical all-to-all communication", EuroMPI 2014.
//
// Inside a node, each rank gives every other what the ranks of the same lane on other nodes are to
// get (and what it is to get itself); then what a rank has collected for a rank on another node
// goes there in one message. A node of m ranks sends each other node m messages, in place of m^2,
// of m shares each. Where nodes are uneven, lane l of one acts for the lanes l, l + m, ... of
// others.
//
// With N nodes of m ranks:
// Steps: 2 (1 on one node, or where every rank is alone on its node).
// Volume: ((m - 1) N + (N - 1) m) / P: each share goes to each level once. Exact for uneven nodes
// too, with the shares counted.
#include <algorithm>
#include <vector>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

/// Where the shares of one rank go.
class Routes {
  public:
    Routes(const Topology& topology, int rank)
        : topology_(topology), rank_(rank), mates_(topology.ranks_on(topology.node_of(rank))) {}

    std::span<const int> mates() const { return mates_; }
    bool on_my_node(int other) const { return topology_.same_node(rank_, other); }

    /// The rank of my node that takes what is for `to`.
    int agent_for(int to) const {
        if (on_my_node(to)) return to;
        return mates_[static_cast<std::size_t>(topology_.lane_of(to)) % mates_.size()];
    }
    /// The ranks that `agent`, of my node, takes shares for.
    std::vector<int> served_by(int agent) const {
        std::vector<int> served;
        for (int to = 0; to < topology_.size(); ++to) {
            if (agent_for(to) == agent) served.push_back(to);
        }
        return served;
    }

  private:
    const Topology& topology_;
    int rank_;
    std::span<const int> mates_;
};

/// The block that holds, at the agent, what `mate` has for `to`.
int held_for(const Topology& topology, int agent, int mate, int to) {
    const int size = topology.size();
    if (to == agent) return size + mate;
    return (2 + topology.lane_of(mate)) * size + to;
}

void gather_inside(const Topology& topology, int rank, const Routes& routes,
                   RankProgramBuilder& exchange) {
    for (const int mate : routes.mates()) {
        if (mate == rank) continue;
        for (const int to : routes.served_by(mate)) exchange.send(0, mate, {to, 1});
        for (const int to : routes.served_by(rank)) {
            exchange.receive_replace(0, mate, {held_for(topology, rank, mate, to), 1});
        }
    }
}

void send_between(const Topology& topology, int rank, int step, const Routes& routes,
                  RankProgramBuilder& exchange) {
    for (const int to : routes.served_by(rank)) {
        if (to == rank) continue;
        for (const int mate : routes.mates()) {
            const int block = mate == rank ? to : held_for(topology, rank, mate, to);
            exchange.send(step, to, {block, 1});
        }
    }
    for (int node = 0; node < topology.nodes(); ++node) {
        if (node == topology.node_of(rank)) continue;
        const auto there = topology.ranks_on(node);
        const int agent = Routes(topology, there.front()).agent_for(rank);
        for (const int from : there) {
            exchange.receive_replace(step, agent, {topology.size() + from, 1});
        }
    }
}

int inside_steps(const Topology& topology) {
    return topology.largest_node() > 1 ? 1 : 0;
}

RankProgram hierarchical_program(const Topology& topology, int rank) {
    RankProgramBuilder exchange((2 + topology.largest_node()) * topology.size());
    const Routes routes(topology, rank);
    gather_inside(topology, rank, routes, exchange);
    send_between(topology, rank, inside_steps(topology), routes, exchange);
    return exchange.build();
}

double volume(const Topology& topology) {
    std::size_t most = 0;
    for (int rank = 0; rank < topology.size(); ++rank) {
        const Routes routes(topology, rank);
        const std::size_t kept = routes.served_by(rank).size();
        const auto size = static_cast<std::size_t>(topology.size());
        most = std::max(most, size - kept + (kept - 1) * routes.mates().size());
    }
    return static_cast<double>(most) / topology.size();
}

Algorithm hierarchical() {
    Algorithm algorithm;
    algorithm.name = "hierarchical";
    algorithm.summary =
        "collected by lane inside nodes, then one message per pair of node and rank";
    algorithm.citation = "Traeff and Rougier 2014";
    algorithm.steps_formula = "2  (one node, or one rank on each: 1)";
    algorithm.volume_formula = "((m - 1) N + (N - 1) m) / P  (N nodes of m ranks)";
    algorithm.steps = [](const Topology& topology) {
        return inside_steps(topology) + (topology.nodes() > 1 ? 1 : 0);
    };
    algorithm.volume = volume;
    algorithm.program = hierarchical_program;
    algorithm.equal_shares_only = true;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration hierarchical_registration("all_to_all", hierarchical());

}  // namespace

}  // namespace shardstone::collectives
