// SPDX-License-Identifier: BSD-3-Clause
// Closed-form all-reduce times, for checking what the simulator derives from schedules.
#include "validation/oracle/collective_costs.hpp"

namespace shardstone::validation::oracle {

using collectives::LinkCost;

namespace {

double message_s(const LinkCost& link, double size_bytes) {
    return link.alpha_s + link.beta_s_per_byte * size_bytes;
}

}  // namespace

double ring_cost_s(int ranks, double size_bytes, const LinkCost& link, double gamma_s_per_byte) {
    const double block_bytes = size_bytes / ranks;
    return (ranks - 1) * (2.0 * message_s(link, block_bytes) + block_bytes * gamma_s_per_byte);
}

double recursive_doubling_cost_s(const HypercubeLinks& links, double size_bytes,
                                 double gamma_s_per_byte) {
    double time_s = 0.0;
    for (const LinkCost& link : links) {
        time_s += message_s(link, size_bytes) + size_bytes * gamma_s_per_byte;
    }
    return time_s;
}

double rabenseifner_cost_s(const HypercubeLinks& links, double size_bytes,
                           double gamma_s_per_byte) {
    double time_s = 0.0;
    double part_bytes = size_bytes / static_cast<double>(1 << links.size());
    for (const LinkCost& link : links) {
        time_s += 2.0 * message_s(link, part_bytes) + part_bytes * gamma_s_per_byte;
        part_bytes *= 2.0;
    }
    return time_s;
}

double binomial_tree_cost_s(const HypercubeLinks& links, double size_bytes,
                            double gamma_s_per_byte) {
    double time_s = 0.0;
    for (const LinkCost& link : links) {
        time_s += 2.0 * message_s(link, size_bytes) + size_bytes * gamma_s_per_byte;
    }
    return time_s;
}

double hierarchical_rings_cost_s(int nodes, int ranks_per_node, double size_bytes,
                                 const LinkCost& inside, const LinkCost& between,
                                 double gamma_s_per_byte) {
    return ring_cost_s(ranks_per_node, size_bytes, inside, gamma_s_per_byte) +
           ring_cost_s(nodes, size_bytes / ranks_per_node, between, gamma_s_per_byte);
}

}  // namespace shardstone::validation::oracle
