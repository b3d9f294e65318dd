// SPDX-License-Identifier: BSD-3-Clause
// Arrivals counted in shared memory tell when all ranks of a node have ended a round.
#include "collectives/cluster/shared_rounds.hpp"

#include <atomic>

namespace shardstone::collectives {

namespace {

constexpr std::int64_t lines = SharedRounds::most_lag + 1;

}  // namespace

// A line serves every fourth round. Its count never needs resetting: nobody arrives in round
// n + 4 before all have arrived in round n + 1, hence in round n.
std::int64_t& SharedRounds::arrivals(std::int64_t round) const noexcept {
    return shared_.lines[line_of(round)].arrivals;
}

std::int64_t SharedRounds::arrivals_when_complete(std::int64_t round) const noexcept {
    return ranks_ * (round / lines + 1);
}

void SharedRounds::arrive() noexcept {
    const std::int64_t before =
        std::atomic_ref(arrivals(current_)).fetch_add(1, std::memory_order_acq_rel);
    if (before + 1 == arrivals_when_complete(current_)) bell().ring();
    ++current_;
}

bool SharedRounds::complete(std::int64_t round) const noexcept {
    return round < 0 || std::atomic_ref(arrivals(round)).load(std::memory_order_acquire) >=
                            arrivals_when_complete(round);
}

void SharedRounds::tell_news() noexcept {
    std::atomic_ref(shared_.lines[line_of(current_)].news).fetch_add(1, std::memory_order_relaxed);
}

std::int64_t SharedRounds::news(std::int64_t round) const noexcept {
    return std::atomic_ref(shared_.lines[line_of(round)].news).load(std::memory_order_relaxed);
}

}  // namespace shardstone::collectives
