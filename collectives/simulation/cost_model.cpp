// SPDX-License-Identifier: BSD-3-Clause
// A schedule's predicted time on nodes whose ranks share their NICs.
#include "collectives/simulation/cost_model.hpp"

#include "collectives/operation/layout.hpp"
#include "collectives/simulation/engine.hpp"

namespace shardstone::collectives {

CostParameters CostParameters::within(std::int64_t vector_bytes) const {
    const auto per_byte = [&](const SizeCurve& curve) {
        return curve.empty() || vector_bytes == 0
                   ? 0.0
                   : curve.time_s(vector_bytes) / static_cast<double>(vector_bytes);
    };
    CostParameters costs = *this;
    for (LinkCost* link : {&costs.intra_node, &costs.inter_node, &costs.shared_memory}) {
        link->least_beta = per_byte(link->measured);
    }
    costs.least_gamma = per_byte(reduction);
    return costs;
}

double predict_time_s(const Schedule& schedule, const CollectiveSpec& spec,
                      const CostParameters& costs, const std::optional<NicDescription>& nics) {
    const BlockLayout layout(spec, schedule.operation->sharing, schedule.programs.front().channels,
                             schedule.topology.size());
    StepLists lists(schedule.topology.size());
    for (const RankProgram& program : schedule.programs) {
        lists.append(program, layout, spec.vector.element_bytes());
    }
    lists.close();
    return play(lists, Fabric(schedule.topology, costs.within(spec.vector.size_bytes()), nics))
        .time_s;
}

}  // namespace shardstone::collectives
