// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/schedule/cost_model.hpp"

#include "collectives/simulation/engine.hpp"

namespace shardstone::collectives {

double predict_time_s(const Schedule& schedule, std::int64_t count, std::int64_t element_bytes,
                      const CostParameters& costs) {
    const int blocks = schedule.programs.front().blocks();
    const BlockPartition partition(count, blocks, block_grain_bytes / element_bytes);
    StepLists lists(schedule.topology.size());
    for (const RankProgram& program : schedule.programs) {
        lists.append(program, partition, element_bytes);
    }
    lists.close();
    return play(lists, Fabric(schedule.topology, costs)).time_s;
}

}  // namespace shardstone::collectives
