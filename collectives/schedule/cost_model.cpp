// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/schedule/cost_model.hpp"

#include "collectives/operation/layout.hpp"
#include "collectives/simulation/engine.hpp"

namespace shardstone::collectives {

double predict_time_s(const Schedule& schedule, const CollectiveSpec& spec,
                      const CostParameters& costs) {
    const Layout layout(spec, find_operation(schedule.operation).sharing,
                        schedule.programs.front().channels, schedule.topology.size());
    StepLists lists(schedule.topology.size());
    for (const RankProgram& program : schedule.programs) {
        lists.append(program, layout, spec.vector.element_bytes());
    }
    lists.close();
    return play(lists, Fabric(schedule.topology, costs)).time_s;
}

}  // namespace shardstone::collectives
