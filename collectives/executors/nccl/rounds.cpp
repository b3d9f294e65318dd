// SPDX-License-Identifier: BSD-3-Clause
// Transfers of all channels merged into one sequence of groups that cannot deadlock.
#include "collectives/executors/nccl/rounds.hpp"

#include <map>
#include <utility>

namespace shardstone::collectives {

std::vector<Round> rounds_of(const TransferPlan& plan, int segments) {
    std::map<int, Round> by_number;
    for (int t = 0; t < static_cast<int>(plan.transfers.size()); ++t) {
        const Transfer& transfer = plan.transfers[static_cast<std::size_t>(t)];
        by_number[transfer.step + transfer.channel % segments].push_back(t);
    }
    std::vector<Round> rounds;
    for (auto& [number, round] : by_number) rounds.push_back(std::move(round));
    return rounds;
}

}  // namespace shardstone::collectives
