// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

std::string rival_line(const Sweep& sweep, const Best& best) {
    const double ratio = best.library->measurement.median_s / best.ours->measurement.median_s;
    const NoiseFloor* floor = sweep.floor_of(*best.ours);
    return fmt::format(
        "{} {:>9}{}: {} takes {}, {} {}: {:.3g} times as long{}\n", best.ours->operation,
        format_size(best.ours->size_bytes), best.ours->in_place ? "" : " out of place",
        best.ours->algorithm, format_time(best.ours->measurement.median_s), best.library->algorithm,
        format_time(best.library->measurement.median_s), ratio,
        floor != nullptr && floor->spread.covers(ratio) ? ", within the noise floor" : "");
}

std::string rival_lines(const Sweep& sweep) {
    std::string lines;
    for (std::size_t first = 0; first < sweep.points.size();) {
        const Best best = best_of(sweep.points, first);
        if (best.ours != nullptr && best.library != nullptr && best.ours->ranks > 1) {
            lines += rival_line(sweep, best);
        }
        first += best.points;
    }
    return lines;
}

}  // namespace

std::string noise_line(const NoiseFloor& floor) {
    return fmt::format(
        "# noise floor at {}: {} against itself is {:.3f} times as long, 95 % of rounds {:.3f} to "
        "{:.3f} ({} rounds of {} iterations each)\n",
        format_size(floor.size_bytes), floor.algorithm, floor.spread.median, floor.spread.range.low,
        floor.spread.range.high, floor.spread.ratios.size(), floor.iterations_per_round);
}

std::string findings(const Sweep& sweep) {
    std::string lines = rival_lines(sweep);
    if (!lines.empty()) lines = "# the fastest of ours against a library's own\n" + lines;
    const auto wrong = std::ranges::count_if(
        sweep.points, [](const SweepPoint& point) { return point.wrong_elements > 0; });
    if (wrong > 0)
        lines += fmt::format("# {} of {} points gave WRONG results\n", wrong, sweep.points.size());
    return lines;
}

}  // namespace shardstone::benchmarks
