// SPDX-License-Identifier: BSD-3-Clause
// The longest chain of additions in a schedule, which sets the error bound of its sums.
#include "benchmarks/collectives/accuracy/depth.hpp"

#include <algorithm>

#include "benchmarks/collectives/accuracy/playback.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace collectives;

/// Over the blocks that the operation has something to say of on that rank.
int longest_into_result(const Schedule& schedule, int rank, const std::vector<int>& depths) {
    const Operation& operation = *schedule.operation;
    const RankRole role{schedule.topology.size(), schedule.root, rank};
    int longest = 0;
    for (const BlockRange& channel : schedule.programs[static_cast<std::size_t>(rank)].channels) {
        for (int b = channel.first; b < channel.end(); ++b) {
            if (operation.after(role, b - channel.first).item == Content::nothing) continue;
            longest = std::max(longest, depths[static_cast<std::size_t>(b)]);
        }
    }
    return longest;
}

}  // namespace

int additions_on_longest_path(const Schedule& schedule) {
    Holdings<int> depths;
    for (const RankProgram& program : schedule.programs) {
        depths.emplace_back(static_cast<std::size_t>(program.blocks()), 0);
    }
    play(schedule, depths, [](int& mine, int brought, int) { mine = std::max(mine, brought) + 1; });
    int longest = 0;
    for (int rank = 0; rank < schedule.topology.size(); ++rank) {
        longest = std::max(
            longest, longest_into_result(schedule, rank, depths[static_cast<std::size_t>(rank)]));
    }
    return longest;
}

int summation_depth(const Algorithm& algorithm, const Topology& topology, int root) {
    if (!algorithm.has_schedule()) return topology.size() - 1;
    // Cutting the vector into segments repeats the schedule, and adds nothing up.
    return additions_on_longest_path(make_schedule(algorithm, topology, 1, root));
}

}  // namespace shardstone::benchmarks
