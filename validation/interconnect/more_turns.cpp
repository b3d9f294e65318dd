// SPDX-License-Identifier: BSD-3-Clause
// Odds of ranks, from their turns alone.
#include "validation/interconnect/more_turns.hpp"

#include <algorithm>

#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/slow_ranks.hpp"

namespace shardstone::validation {

namespace {

constexpr double open_from_log10_odds = -0.5, sure_log10_odds = 4.0;

}  // namespace

bool more_turns_are_needed(const InterconnectSamples& samples) {
    InterconnectSamples of_ranks;
    of_ranks.places = samples.places;
    of_ranks.ranks = samples.ranks;
    const auto tests = find_in(of_ranks).rank_tests;
    return std::ranges::any_of(tests, [&](const auto& row) {
        const auto ranks = std::ranges::count(tests, row.test, &results::RankTestRow::test);
        return static_cast<std::size_t>(ranks) >= least_comparable_ranks &&
               row.factor > 1.0 + SlowRankSettings{}.least_slowdown &&
               row.log10_odds > open_from_log10_odds && row.log10_odds < sure_log10_odds;
    });
}

}  // namespace shardstone::validation
