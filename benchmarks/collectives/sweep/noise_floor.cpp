// SPDX-License-Identifier: BSD-3-Clause
// An algorithm is timed against itself, so that smaller differences can be put down to noise.
#include "benchmarks/collectives/sweep/noise_floor.hpp"

#include <algorithm>

#include "benchmarks/collectives/sweep/contender.hpp"
#include "benchmarks/harness/rank_team.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

namespace {

std::int64_t iterations_per_round(double limit_s, double time_s) {
    // The least of a median that one slow iteration cannot decide; the most of one batch.
    constexpr double least = 3.0;
    const double affordable = limit_s / (2.0 * rounds_for_95_percent * std::max(time_s, 1e-9));
    return static_cast<std::int64_t>(
        std::clamp(affordable, least, static_cast<double>(Stopwatch::most_in_batch)));
}

}  // namespace

NoiseFloor measure_noise_floor(collectives::Communicator& communicator, const SweepOptions& options,
                               const SweepPlan& plan, const SweepPoint& point, Watch& watch) {
    const auto algorithm = collectives::find_algorithm(point.operation, point.algorithm);
    const auto spec = spec_of(plan, *algorithm.operation, point.count, communicator.size());
    const BufferUse use{point.in_place, options.checks > 0, plan.rotation};
    Contender first(communicator, algorithm, spec, use);
    Contender second(communicator, algorithm, spec, use);
    NoiseFloor floor{point.operation, point.algorithm, point.in_place, point.size_bytes, 0, {}, {}};
    floor.iterations_per_round =
        iterations_per_round(options.seconds_per_point, point.measurement.median_s);
    RankTeam ranks(communicator);
    // As warm as what it stands for.
    compare_interleaved(ranks, TimeFrom::last_start, 2, floor.iterations_per_round, first.work(),
                        second.work());
    RatioSpread tried;
    floor.watched = watch.until_quiet(
        [&] {
            tried = compare_interleaved(ranks, TimeFrom::last_start, rounds_for_95_percent,
                                        floor.iterations_per_round, first.work(), second.work());
        },
        [&] { floor.spread = std::move(tried); });
    return floor;
}

}  // namespace shardstone::benchmarks
