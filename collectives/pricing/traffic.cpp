// SPDX-License-Identifier: BSD-3-Clause
// Bytes that a rank sends within and between nodes, counted from its schedule without running it.
#include "collectives/pricing/traffic.hpp"

#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

Traffic scheduled_traffic(const Algorithm& algorithm, const Topology& topology, int rank,
                          const CollectiveSpec& spec) {
    if (!algorithm.has_schedule()) return {};
    const RankProgram program = rooted_program(algorithm, topology, rank, spec.root,
                                               segments_for(algorithm, spec.vector.size_bytes()));
    const BlockLayout layout(spec, algorithm.operation->sharing, program.channels, topology.size());
    Traffic traffic;
    for (const BlockTransfer& action : program.actions) {
        if (action.kind != TransferKind::send) continue;
        const auto bytes =
            static_cast<double>(layout.elements(rank, action.blocks) * spec.vector.element_bytes());
        (topology.same_node(rank, action.peer) ? traffic.inside_node_bytes
                                               : traffic.between_nodes_bytes) += bytes;
    }
    return traffic;
}

}  // namespace shardstone::collectives
