// SPDX-License-Identifier: BSD-3-Clause
// Two contenders timed in alternating rounds, so that drift of the machine cancels in their ratio.
#include "benchmarks/harness/interleaved.hpp"

#include <algorithm>

namespace shardstone::benchmarks {

bool RatioSpread::covers(double ratio) const {
    const auto inside = [&](double value) { return range.low <= value && value <= range.high; };
    return inside(ratio) || inside(1.0 / ratio);
}

RatioSpread compare_interleaved(Team& team, TimeFrom from, std::int64_t rounds,
                                std::int64_t iterations, const Work& first, const Work& second) {
    Stopwatch stopwatch(team);
    const auto median_of = [&](const Work& work) {
        return median(stopwatch.batch(iterations, work).times_s(from));
    };
    RatioSpread spread;
    for (std::int64_t round = 0; round < rounds; ++round) {
        const bool in_order = round % 2 == 0;
        const double earlier_s = median_of(in_order ? first : second);
        const double later_s = median_of(in_order ? second : first);
        spread.ratios.push_back(in_order ? later_s / earlier_s : earlier_s / later_s);
    }
    spread.median = median(spread.ratios);
    const auto [low, high] = std::ranges::minmax(spread.ratios);
    spread.range = {low, high};
    return spread;
}

}  // namespace shardstone::benchmarks
