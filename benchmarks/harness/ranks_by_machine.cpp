// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share the cores of one machine.
#include "benchmarks/harness/ranks_by_machine.hpp"

#include <map>
#include <span>
#include <utility>

#include "kernels/base/running_kernel.hpp"

namespace shardstone::benchmarks {

std::vector<std::vector<int>> ranks_by_machine(const collectives::Communicator& world) {
    const double kernel = running_kernel();
    const double node = world.found_topology().node_of(world.rank());
    const double own = kernel >= 0.0 ? kernel : -1.0 - node;
    const auto all = world.all_gather(std::span(&own, 1));
    std::map<double, std::vector<int>> by_machine;
    for (int rank = 0; rank < world.size(); ++rank) {
        by_machine[all[static_cast<std::size_t>(rank)]].push_back(rank);
    }
    std::vector<std::vector<int>> machines;
    for (auto& [machine, ranks] : by_machine) machines.push_back(std::move(ranks));
    return machines;
}

}  // namespace shardstone::benchmarks
