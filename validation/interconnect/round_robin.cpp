// SPDX-License-Identifier: BSD-3-Clause
// The circle method for all pairs in the fewest rounds.
#include "validation/interconnect/round_robin.hpp"

#include <algorithm>

namespace shardstone::validation {

std::vector<RoundOfPairs> round_robin(int count) {
    std::vector<RoundOfPairs> rounds;
    if (count < 2) return rounds;
    const int seats = count + count % 2;  // whoever meets the last seat of an odd count rests
    const int moving = seats - 1;
    for (int round = 0; round < moving; ++round) {
        RoundOfPairs pairs;
        const auto add = [&](int one, int other) {
            if (std::max(one, other) < count) pairs.emplace_back(std::minmax(one, other));
        };
        add(round, moving);
        for (int step = 1; step < seats / 2; ++step) {
            add((round + step) % moving, (round + moving - step) % moving);
        }
        rounds.push_back(std::move(pairs));
    }
    return rounds;
}

}  // namespace shardstone::validation
