// SPDX-License-Identifier: BSD-3-Clause
// A measurement is repeated where others disturbed it, and where a rank stood still.
#include "benchmarks/harness/tries.hpp"

#include <utility>

namespace shardstone::benchmarks {

Tries until_undisturbed(Watch& watch, StallWatch& pulses, const std::function<void()>& measure,
                        const std::function<void()>& better,
                        const std::function<Series()>& newest) {
    Tries tries;
    int attempt = 0;
    const auto stalled = [&](const Surroundings& seen) {
        const Series series = newest ? newest() : Series{};
        bool counts = false;
        for (Stall& stall : pulses.look(series.samples_s, series.begin_s, series.end_s, seen)) {
            stall.attempt = attempt;
            counts = counts || (!stall.excused && (stall.of_sample() || !newest));
            tries.stalls.push_back(std::move(stall));
        }
        return counts;
    };
    tries.watched = watch.until_quiet(
        [&] {
            ++attempt;
            measure();
        },
        [&] {
            tries.kept = attempt;
            better();
        },
        stalled);
    for (Stall& stall : tries.stalls) stall.kept = stall.attempt == tries.kept;
    return tries;
}

}  // namespace shardstone::benchmarks
