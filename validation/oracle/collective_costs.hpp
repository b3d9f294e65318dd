// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/simulation/cost_model.hpp"

namespace shardstone::validation::oracle {

// What all-reduces of n bytes take in the alpha-beta-gamma model, as formulas (R. Thakur et al.,
// "Optimization of collective communication operations in MPICH", Int. J. High Performance
// Computing Applications 19(1), 2005, section 4.5, with alpha and beta of each step's own links).
// Exact for powers of two, vectors that divide evenly, and steps in which all links are alike.

/// All links alike; any number of ranks.
double ring_cost_s(int ranks, double size_bytes, const collectives::LinkCost& link,
                   double gamma_s_per_byte);

/// `links[k]`: what partners 2^k ranks apart exchange over; 2^links.size() ranks. Where several
/// share a link, its beta is that of one share.
using HypercubeLinks = std::vector<collectives::LinkCost>;

double recursive_doubling_cost_s(const HypercubeLinks& links, double size_bytes,
                                 double gamma_s_per_byte);
double rabenseifner_cost_s(const HypercubeLinks& links, double size_bytes, double gamma_s_per_byte);
double binomial_tree_cost_s(const HypercubeLinks& links, double size_bytes,
                            double gamma_s_per_byte);

/// hierarchical:ring/ring: rings on each node's ranks, and one between the nodes on every lane.
double hierarchical_rings_cost_s(int nodes, int ranks_per_node, double size_bytes,
                                 const collectives::LinkCost& inside,
                                 const collectives::LinkCost& between, double gamma_s_per_byte);

}  // namespace shardstone::validation::oracle
