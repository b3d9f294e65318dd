// SPDX-License-Identifier: BSD-3-Clause
// The programs of all ranks are sorted into the rounds of a schedule, channel by channel.
#include "benchmarks/collectives/accuracy/playback.hpp"

namespace shardstone::benchmarks {

std::vector<std::vector<RankRound>> rounds_of(const collectives::Schedule& schedule) {
    using collectives::BlockTransfer;
    std::map<std::pair<int, int>, std::vector<RankRound>> rounds;  // by channel and step
    for (std::size_t rank = 0; rank < schedule.programs.size(); ++rank) {
        for_each_step(schedule.programs[rank], [&](std::span<const BlockTransfer> actions) {
            const BlockTransfer& first = actions.front();
            rounds[{first.channel, first.step}].push_back({static_cast<int>(rank), actions});
        });
    }
    std::vector<std::vector<RankRound>> in_order;
    for (auto& [when, turns] : rounds) in_order.push_back(std::move(turns));
    return in_order;
}

}  // namespace shardstone::benchmarks
