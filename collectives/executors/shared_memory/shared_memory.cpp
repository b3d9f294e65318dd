// SPDX-License-Identifier: BSD-3-Clause
// Untried thresholds and segment sizes of the all-reduce in a node, by ranks and cores.
#include "collectives/executors/shared_memory/shared_memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/cluster/waiting.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::string ranks_by_node(const Topology& topology) {
    constexpr int most_listed = 4;
    std::vector<std::string> nodes;
    for (int node = 0; node < std::min(topology.nodes(), most_listed); ++node) {
        nodes.push_back(
            fmt::format("ranks {} on node {}", fmt::join(topology.ranks_on(node), ","), node));
    }
    if (topology.nodes() > most_listed) nodes.emplace_back("and so on");
    return fmt::format("{}", fmt::join(nodes, "; "));
}

}  // namespace

void require_one_node(const Topology& topology) {
    require(topology.nodes() == 1, [&] {
        return fmt::format(
            "shared memory reaches the ranks of one node, but there are {} nodes "
            "({}): use ring or hierarchical:ring/ring",
            topology.nodes(), ranks_by_node(topology));
    });
}

SharedMemoryTuning SharedMemoryTuning::for_ranks(int ranks) {
    // Reading P vectors of up to this size in all takes no longer than a second synchronisation,
    // which where ranks share cores is one more turn of each on them.
    const std::int64_t one_shot_in_all = Waiter::own_core() ? 32 << 10 : 128 << 10;
    constexpr std::int64_t one_shot_in_window = 256;
    // Long enough that the two waits for others per segment weigh little, short enough that the
    // slots, 3 lag + 1 per rank, stay in a second-level cache or, of many ranks, in a third.
    constexpr std::int64_t slots_in_all = 16 << 20;
    SharedMemoryTuning tuning;
    // Ranks that share cores take turns on them: the further ahead they may be, the fewer turns.
    tuning.lag = Waiter::own_core() ? 1 : 2;
    tuning.one_shot_bytes = one_shot_in_all / ranks;
    tuning.one_shot_in_window_bytes = Waiter::own_core()
                                          ? std::min(one_shot_in_window, tuning.one_shot_bytes)
                                          : tuning.one_shot_bytes;
    tuning.segment_bytes = std::clamp<std::int64_t>(slots_in_all / (ranks * (3 * tuning.lag + 1)),
                                                    64 << 10, 256 << 10);
    // A copy of less than this through the kernel costs more in its call than it can save. Ranks
    // that share cores gain nothing: their slots stay in the one cache.
    constexpr std::int64_t least_block = 8 << 10;
    tuning.single_copy_bytes = Waiter::own_core() ? least_block * ranks : 0;
    // A chunk of each rank stays in a second-level cache.
    constexpr std::int64_t chunks_in_all = 512 << 10;
    tuning.chunk_bytes = std::clamp<std::int64_t>(chunks_in_all / ranks, 16 << 10, 256 << 10);
    return tuning;
}

}  // namespace shardstone::collectives
