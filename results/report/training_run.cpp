// SPDX-License-Identifier: BSD-3-Clause
// Training records grouped by system, and the parallel efficiency within each group.
#include "results/report/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "results/report/choices.hpp"
#include "results/report/machine_peaks.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

TrainingRun read_training_run(const Source& source) {
    TrainingRun run;
    run.source = &source;
    run.system = trained_system(source);
    run.summary = rows<TrainingRow>(source).front();
    run.steps = rows<StepRow>(source);
    const bool has_devices = is_paced(source) || is_on_gpus(source);
    run.cores = has_devices ? run.summary.ranks : cores_of(source);
    run.plan = setting_text(source, "plan", plural(run.summary.ranks, "rank"));
    return run;
}

std::string label_of(const TrainingRun& run) {
    TrainedSystem named = run.system;
    named.split = with_choices(*run.source, run.plan);
    return named.name();
}

void tell_groups_apart(std::vector<TrainingGroup>& groups) {
    std::vector<TrainedSystem*> systems;
    for (auto& group : groups) systems.push_back(&group.front().system);
    tell_apart(systems);
    for (auto& group : groups) {
        for (auto& run : group) run.system.apart = group.front().system.apart;
    }
}

/// Runs with one label get their files' names.
void label_runs(std::vector<TrainingGroup>& groups) {
    std::map<std::string, int> times;
    for (auto& group : groups) {
        for (auto& run : group) ++times[run.what = label_of(run)];
    }
    for (auto& group : groups) {
        for (auto& run : group) {
            run.label = run.what + (times[run.what] > 1 ? ", " + run.source->file() : "");
        }
    }
}

/// Whether a run is one that is held against the group's fewest ranks: with another all-reduce,
/// say, it would not be the number of ranks alone in which they differ.
bool is_compared(const TrainingRun& run, const TrainingGroup& group) {
    const TrainingRun& base = group.front();
    if (run.summary.ranks <= base.summary.ranks) return false;
    const auto chosen = choices_of({base.source, run.source});
    return fit(chosen.front(), chosen.back());
}

}  // namespace

TrainingRun::Words TrainingRun::worker() const {
    if (is_paced(*source)) return {"paced device", "paced devices"};
    if (is_on_gpus(*source)) return {"GPU", "GPUs"};
    return {"core in use", "cores in use"};
}

std::vector<double> TrainingRun::of_steps(double StepRow::*member) const {
    std::vector<double> values;
    for (const StepRow& step : steps) values.push_back(step.*member);
    return values;
}

std::vector<double> TrainingRun::of_counted_steps(double StepRow::*member) const {
    // Records of version 1 do not tell; there all steps counted.
    const double told = std::isfinite(summary.uncounted_steps) ? summary.uncounted_steps : 0.0;
    auto values = of_steps(member);
    // A record may claim what it does not hold.
    const double left_out = std::clamp(told, 0.0, static_cast<double>(values.size()));
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(left_out));
    return values;
}

Quartiles TrainingRun::middle_rates() const {
    const auto rates = of_counted_steps(&StepRow::tokens_per_s);
    return rates.empty() ? Quartiles{NAN, summary.tokens_per_s, NAN} : quartiles(rates);
}

bool TrainingRun::has_rate_interval() const {
    return std::isfinite(summary.tokens_per_s_low) && std::isfinite(summary.tokens_per_s_high);
}

std::vector<TrainingGroup> training_groups(const std::vector<Source>& sources) {
    std::vector<TrainingGroup> groups;
    for (const Source* source : with_rows<TrainingRow>(sources)) {
        TrainingRun run = read_training_run(*source);
        const auto known = std::ranges::find_if(
            groups, [&](const auto& group) { return group.front().system == run.system; });
        auto& group = known == groups.end() ? groups.emplace_back() : *known;
        group.push_back(std::move(run));
    }
    for (auto& group : groups) {
        std::ranges::stable_sort(group, {},
                                 [](const TrainingRun& run) { return run.summary.ranks; });
    }
    tell_groups_apart(groups);
    label_runs(groups);
    return groups;
}

std::vector<TrainingGroup> by_choices(const TrainingGroup& group) {
    std::vector<const Source*> sources;
    for (const TrainingRun& run : group) sources.push_back(run.source);
    const auto of_runs = choices_of(sources);
    const auto ways = ways_to_choose(of_runs);
    std::vector<TrainingGroup> curves;
    for (const Choices& way : ways) {
        TrainingGroup& curve = curves.emplace_back();
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (!fit(of_runs[i], way)) continue;
            curve.push_back(group[i]);
            curve.back().system.apart += words_apart(way, ways);
        }
    }
    return curves;
}

std::vector<TrainingRun> training_runs(const std::vector<Source>& sources) {
    std::vector<TrainingRun> runs;
    for (const auto& group : training_groups(sources)) {
        runs.insert(runs.end(), group.begin(), group.end());
    }
    return runs;
}

std::vector<const TrainingRun*> that_count(const std::vector<const TrainingRun*>& runs) {
    std::vector<const TrainingRun*> quiet;
    std::ranges::copy_if(runs, std::back_inserter(quiet),
                         [](const TrainingRun* run) { return !is_disturbed(run->summary); });
    return quiet.empty() ? runs : quiet;
}

double mean_rate(const std::vector<const TrainingRun*>& runs) {
    std::vector<double> logs;
    for (const TrainingRun* run : runs) logs.push_back(std::log(run->summary.tokens_per_s));
    return std::exp(mean(logs));
}

bool has_repetitions(const TrainingGroup& curve) {
    const auto is_repetition = [](const TrainingRun& one, const TrainingRun& next) {
        return one.summary.ranks == next.summary.ranks;
    };
    return std::ranges::adjacent_find(curve, is_repetition) != curve.end();
}

bool has_efficiency(const TrainingGroup& curve) {
    return curve.size() > 1 && !has_repetitions(curve);
}

double peaks_in_the_way(const TrainingRun& run, const TrainingGroup& group) {
    if (!is_compared(run, group)) return NAN;
    // The peak is measured with every run; older records do not tell it.
    const double ratio =
        run.summary.core_peak_flop_per_s / group.front().summary.core_peak_flop_per_s;
    if (std::isnan(ratio) || factor_apart(ratio) <= most_peaks_apart) return NAN;
    return factor_apart(ratio);
}

double efficiency(const TrainingRun& run, const TrainingGroup& group) {
    const TrainingRun& base = group.front();
    if (!is_compared(run, group) || peaks_in_the_way(run, group) > 1.0) return NAN;
    return run.summary.tokens_per_s / run.workers() / (base.summary.tokens_per_s / base.workers());
}

bool is_doubtful(const TrainingRun& run, const TrainingGroup& group) {
    return is_disturbed(run.summary) || is_disturbed(group.front().summary);
}

Interval efficiency_range(const TrainingRun& run, const TrainingGroup& group) {
    const TrainingRow& base = group.front().summary;
    const double value = efficiency(run, group);
    const auto times = [&](double mine, double of_base) {
        return value * (mine / run.summary.tokens_per_s) * (base.tokens_per_s / of_base);
    };
    return {times(run.summary.tokens_per_s_low, base.tokens_per_s_high),
            times(run.summary.tokens_per_s_high, base.tokens_per_s_low)};
}

bool is_beyond_doubt_too_high(const TrainingRun& run, const TrainingGroup& group) {
    constexpr double precision = 0.05;  // of a measurement, where a record has no interval
    const double least = efficiency_range(run, group).low;
    return (std::isfinite(least) ? least : efficiency(run, group) / (1.0 + precision)) > 1.0;
}

std::string efficiency_text(const TrainingRun& run, const TrainingGroup& group) {
    if (const double apart = peaks_in_the_way(run, group); apart > 1.0) {
        return fmt::format("omitted: measured peaks of a {} differ by a factor of {}",
                           is_on_gpus(*run.source) ? "GPU" : "core", digits_text(apart, 3));
    }
    const double value = efficiency(run, group);
    if (is_beyond_doubt_too_high(run, group)) return share_text(value);
    const Interval range = efficiency_range(run, group);
    const std::string within = std::isfinite(range.low) && std::isfinite(range.high)
                                   ? fmt::format(" ({} to {} %)", digits_text(100.0 * range.low, 3),
                                                 digits_text(100.0 * range.high, 3))
                                   : "";
    if (!(value > 1.0)) return share_text(value) + within;
    return digits_text(100.0 * value, 4) + " %, within the uncertainty" + within;
}

}  // namespace shardstone::results
