// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share cores take turns, so that each is measured and not its neighbours.
#include "benchmarks/interconnect/rank_turns.hpp"

#include <sched.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/base/running_kernel.hpp"

namespace shardstone::benchmarks {

namespace {

struct CoresOfRank {
    double kernel = -1.0;
    cpu_set_t cores;
};

std::vector<CoresOfRank> cores_of_all(const collectives::Communicator& world) {
    CoresOfRank mine{running_kernel(), {}};
    CPU_ZERO(&mine.cores);
    sched_getaffinity(0, sizeof(mine.cores), &mine.cores);
    std::vector<CoresOfRank> all;
    const std::string bytes(reinterpret_cast<const char*>(&mine), sizeof(mine));
    for (const std::string& one : world.all_gather(bytes)) {
        std::memcpy(&all.emplace_back(), one.data(), sizeof(mine));
    }
    return all;
}

/// Whether the kernel is known to be the same.
bool are_together(const CoresOfRank& one, const CoresOfRank& other) {
    return one.kernel >= 0.0 && one.kernel == other.kernel;
}

RankTurn turn_of(const std::vector<CoresOfRank>& all, std::size_t rank) {
    cpu_set_t cores = all[rank].cores;
    int ranks = 0, before = 0;
    for (std::size_t other = 0; other < all.size(); ++other) {
        if (other != rank && !are_together(all[rank], all[other])) continue;
        CPU_OR(&cores, &cores, &all[other].cores);
        ++ranks;
        if (other < rank) ++before;
    }
    return ranks <= CPU_COUNT(&cores) ? RankTurn{} : RankTurn{before, ranks};
}

}  // namespace

RankTurn agree_on_turns(const collectives::Communicator& world) {
    RankTurn mine = turn_of(cores_of_all(world), static_cast<std::size_t>(world.rank()));
    mine.turns = static_cast<int>(world.max(mine.turns));
    return mine;
}

}  // namespace shardstone::benchmarks
