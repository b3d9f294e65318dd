// SPDX-License-Identifier: BSD-3-Clause
// The arguments of `shardstone draw`, checked before a topology or a schedule is made.
#include "collectives/drawing/request.hpp"

#include <fmt/format.h>

#include <utility>

#include "collectives/drawing/drawing.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

DrawPlan plan_drawing(const DrawRequest& request) {
    require(!request.algorithm.empty(),
            "nothing to draw: name an algorithm, e.g. `shardstone draw ring --ranks 8`");
    Algorithm algorithm = find_algorithm(request.operation, request.algorithm);
    // Before there is a topology, which takes memory for every rank.
    require(request.ranks >= 1 && request.ranks <= most_drawn_ranks, [&] {
        return fmt::format("--ranks {}: give the number of ranks to draw, 1 to {}", request.ranks,
                           most_drawn_ranks);
    });
    require(request.ranks_per_node >= 0, [&] {
        return fmt::format("--ranks-per-node {}: give 1 or more, or 0 for one node",
                           request.ranks_per_node);
    });
    Topology topology = request.ranks_per_node == 0
                            ? Topology::one_node(request.ranks)
                            : Topology::blocked(request.ranks, request.ranks_per_node);
    return {std::move(algorithm), std::move(topology), request.segments};
}

}  // namespace shardstone::collectives
