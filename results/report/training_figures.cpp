// SPDX-License-Identifier: BSD-3-Clause
// The figures of throughput and efficiency by number of ranks, with repeated runs joined.
#include "results/report/training_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

std::vector<double> rank_counts(const std::vector<TrainingGroup>& groups) {
    std::vector<double> counts;
    for (const auto& group : groups) {
        for (const auto& run : group) counts.push_back(run.summary.ranks);
    }
    std::ranges::sort(counts);
    const auto repeated = std::ranges::unique(counts);
    counts.erase(repeated.begin(), repeated.end());
    return counts;
}

/// Every run with its interval.
json runs_trace(const TrainingGroup& curve, int shade, Figure& figure) {
    std::vector<double> ranks, rates, low, high;
    std::vector<std::string> notes;
    std::vector<bool> disturbed;
    for (const auto& run : curve) {
        const Quartiles spread = run.middle_rates();
        ranks.push_back(run.summary.ranks);
        rates.push_back(run.summary.tokens_per_s);
        low.push_back(run.has_rate_interval() ? run.summary.tokens_per_s_low : spread.low);
        high.push_back(run.has_rate_interval() ? run.summary.tokens_per_s_high : spread.high);
        notes.push_back(run.label + ": " + tokens_rate_text(run.summary.tokens_per_s) +
                        disturbance_note(is_disturbed(run.summary)));
        disturbed.push_back(is_disturbed(run.summary));
    }
    json trace = line_trace(curve.front().system.name(), ranks, rates, shade);
    add_interval(trace, low, high);
    trace["notes"] = notes;
    mark_disturbed(trace, disturbed, figure);
    return trace;
}

/// The line through the means of repeated runs, of one name with them.
json means_trace(const TrainingGroup& curve, int shade) {
    std::map<double, std::vector<const TrainingRun*>> by_ranks;
    for (const TrainingRun& run : curve) by_ranks[run.summary.ranks].push_back(&run);
    const std::string name = curve.front().system.name();
    std::vector<double> ranks, means;
    std::vector<std::string> notes;
    for (const auto& [count, all] : by_ranks) {
        const auto runs = that_count(all);
        ranks.push_back(count);
        means.push_back(mean_rate(runs));
        notes.push_back(fmt::format("{}: mean of {} on {}: {}", name,
                                    plural(static_cast<double>(runs.size()), "run"),
                                    plural(count, "rank"), tokens_rate_text(means.back())));
    }
    json trace = line_trace(name, ranks, means, shade);
    trace["notes"] = notes;
    trace["points"] = false;
    trace["hidden"] = true;
    return trace;
}

json ideal_trace(const TrainingGroup& curve, int shade) {
    const TrainingRun& base = curve.front();
    std::vector<double> ranks, ideal;
    for (const TrainingRun& run : curve) {
        ranks.push_back(run.summary.ranks);
        ideal.push_back(base.summary.tokens_per_s / base.workers() * run.workers());
    }
    json bound = line_trace(base.system.name() + ", ideal", ranks, ideal, shade);
    make_dashed(bound);
    return bound;
}

}  // namespace

std::vector<const Source*> sources_of(const std::vector<TrainingGroup>& groups) {
    std::vector<const Source*> sources;
    for (const auto& group : groups) {
        for (const auto& run : group) sources.push_back(run.source);
    }
    return sources;
}

Figure throughput_figure(const std::vector<TrainingGroup>& curves) {
    Figure figure{"Training throughput", sources_of(curves)};
    int shade = 0;
    for (const auto& curve : curves) {
        json runs = runs_trace(curve, shade, figure);
        if (has_repetitions(curve)) {
            runs["lines"] = false;
            figure.traces.push_back(runs);
            figure.traces.push_back(means_trace(curve, shade));
        } else {
            figure.traces.push_back(runs);
        }
        if (has_efficiency(curve)) figure.traces.push_back(ideal_trace(curve, shade));
        ++shade;
    }
    figure.layout = {{"x", count_axis("Ranks", rank_counts(curves))},
                     {"y", linear_axis("Tokens per second")}};
    return figure;
}

Figure efficiency_figure(const std::vector<TrainingGroup>& curves) {
    Figure figure{"Parallel efficiency", {}};
    int shade = -1;
    for (const auto& curve : curves) {
        ++shade;
        if (!has_efficiency(curve)) continue;
        std::vector<double> ranks, values;
        std::vector<bool> disturbed;
        for (const auto& run : curve) {
            const double value = efficiency(run, curve);
            figure.from.push_back(run.source);
            if (std::isnan(value) || is_beyond_doubt_too_high(run, curve)) continue;
            ranks.push_back(run.summary.ranks);
            values.push_back(100.0 * value);
            disturbed.push_back(is_doubtful(run, curve));
        }
        json trace = line_trace(curve.front().system.name(), ranks, values, shade);
        mark_disturbed(trace, disturbed, figure);
        figure.traces.push_back(trace);
    }
    const auto counts = rank_counts(curves);
    json ideal = line_trace("ideal", counts, std::vector<double>(counts.size(), 100.0), -1);
    make_dashed(ideal);
    figure.traces.push_back(ideal);
    const auto workers =
        workers_in(curves | std::views::filter(has_efficiency), &TrainingRun::Words::one);
    figure.layout = {{"x", count_axis("Ranks", counts)},
                     {"y", linear_axis(fmt::format("Efficiency per {} (%)", workers))}};
    return figure;
}

}  // namespace shardstone::results
