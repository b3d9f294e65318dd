// SPDX-License-Identifier: BSD-3-Clause
// Timed batches of iterations: every rank's laps, and their joint times, skew and lateness.
#include "benchmarks/harness/laps.hpp"

namespace shardstone::benchmarks {

namespace {

/// What a member says of one iteration; of each the maximum over members is taken.
enum Figure : std::uint8_t { own_time, negated_start, start, end, figures };

std::vector<double>& append_to(std::vector<double>& values, const std::vector<double>& newer) {
    values.insert(values.end(), newer.begin(), newer.end());
    return values;
}

}  // namespace

static_assert(figures * Stopwatch::most_in_batch + 1 <= most_values_compared);

void Laps::append(const Laps& newer) {
    append_to(since_own_start_s, newer.since_own_start_s);
    append_to(since_last_start_s, newer.since_last_start_s);
    append_to(skew_s, newer.skew_s);
    append_to(own_begin_s, newer.own_begin_s);
    append_to(own_end_s, newer.own_end_s);
    append_to(own_late_s, newer.own_late_s);
}

const std::vector<double>& Laps::times_s(TimeFrom from) const {
    const bool separable = !skew_s.empty();
    return from == TimeFrom::last_start && separable ? since_last_start_s : since_own_start_s;
}

Stopwatch::Stopwatch(Team& team) : team_(team), start_s_(team.now_s()) {}

Laps Stopwatch::batch(std::int64_t iterations, const Work& work) {
    const auto count = static_cast<std::size_t>(iterations);
    std::vector<double> mine(figures * count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (work.prepare) work.prepare();
        team_.line_up();
        const double begin_s = team_.now_s();
        work.run();
        const double end_s = team_.now_s();
        double* const said = mine.data() + figures * i;
        said[own_time] = end_s - begin_s;
        said[negated_start] = -begin_s;
        said[start] = begin_s;
        said[end] = end_s;
    }
    mine.back() = team_.now_s() - start_s_;
    const auto maxima = team_.maxima(mine);
    elapsed_s_ = maxima.back();
    return laps_of(mine, maxima, count);
}

Laps Stopwatch::laps_of(const std::vector<double>& mine, const std::vector<double>& maxima,
                        std::size_t iterations) const {
    Laps laps;
    for (std::size_t i = 0; i < iterations; ++i) {
        const double* const own = mine.data() + figures * i;
        const double* const all = maxima.data() + figures * i;
        laps.since_own_start_s.push_back(all[own_time]);
        laps.own_begin_s.push_back(own[start]);
        laps.own_end_s.push_back(own[end]);
        if (!team_.one_clock()) continue;
        laps.since_last_start_s.push_back(all[end] - all[start]);
        laps.skew_s.push_back(all[start] + all[negated_start]);
        laps.own_late_s.push_back(own[start] + all[negated_start]);
    }
    return laps;
}

}  // namespace shardstone::benchmarks
