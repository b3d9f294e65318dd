// SPDX-License-Identifier: BSD-3-Clause
// Records of trainings as scaling curves: repetitions joined, ranks ascending, weak or strong.
#include "results/report/scaling_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kernels/base/two_samples.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// What stays along a curve besides its system: the tokens of a step, in all or for each rank.
struct Key {
    TrainedSystem system;
    bool is_weak = false;
    double tokens = 0.0;

    bool operator==(const Key&) const = default;
};

Key key_of(const TrainingRun& run, bool is_weak) {
    Key key{run.system, is_weak, run.summary.tokens_per_step};
    key.system.global_batch.clear();
    key.system.apart.clear();
    if (is_weak) key.tokens /= run.summary.ranks;
    return key;
}

std::vector<double> logarithms(const std::vector<double>& values) {
    std::vector<double> logs;
    std::ranges::transform(values, std::back_inserter(logs), [](double x) { return std::log(x); });
    return logs;
}

Interval exponential(const Interval& of_logs) {
    return {std::exp(of_logs.low), std::exp(of_logs.high)};
}

/// Mean over the runs; the least and the most are over all their steps.
std::vector<GapRow> mean_gap(const std::vector<const TrainingRun*>& runs) {
    std::vector<GapRow> mean;
    const double share = 1.0 / static_cast<double>(runs.size());
    for (const TrainingRun* run : runs) {
        const auto parts = rows<GapRow>(*run->source);
        if (mean.empty()) {
            mean = parts;
            for (GapRow& one : mean) one.time_s = one.predicted_s = one.split_steps = 0.0;
        }
        if (parts.size() != mean.size()) return {};
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].part != mean[i].part) return {};
            mean[i].time_s += share * parts[i].time_s;
            mean[i].predicted_s += share * parts[i].predicted_s;
            mean[i].split_steps += parts[i].split_steps;
            mean[i].time_s_low = std::min(mean[i].time_s_low, parts[i].time_s_low);
            mean[i].time_s_high = std::max(mean[i].time_s_high, parts[i].time_s_high);
        }
    }
    return mean;
}

std::vector<ChangedStepRow> mean_changes(const std::vector<const TrainingRun*>& runs) {
    std::vector<ChangedStepRow> mean;
    const double share = 1.0 / static_cast<double>(runs.size());
    for (const TrainingRun* run : runs) {
        const auto changes = rows<ChangedStepRow>(*run->source);
        if (mean.empty()) {
            mean = changes;
            for (ChangedStepRow& one : mean) one.step_s = one.predicted_s = 0.0;
        }
        if (changes.size() != mean.size()) return {};
        for (std::size_t i = 0; i < changes.size(); ++i) {
            if (changes[i].change != mean[i].change) return {};
            mean[i].step_s += share * changes[i].step_s;
            mean[i].predicted_s += share * changes[i].predicted_s;
        }
    }
    return mean;
}

/// The last steps of each run, as many as its gap was split of.
double split_step_s(const std::vector<const TrainingRun*>& runs, const std::vector<GapRow>& gap) {
    if (gap.empty()) return NAN;
    std::vector<double> means;
    for (const TrainingRun* run : runs) {
        const auto split = rows<GapRow>(*run->source).front().split_steps;
        auto times_s = run->of_steps(&StepRow::time_s);
        if (!(split >= 1.0 && split <= static_cast<double>(times_s.size()))) return NAN;
        times_s.erase(times_s.begin(), times_s.end() - static_cast<std::ptrdiff_t>(split));
        means.push_back(mean(times_s));
    }
    return mean(means);
}

/// Disturbed runs only where there are no others.
std::vector<const TrainingRun*> that_count(const std::vector<const TrainingRun*>& runs) {
    std::vector<const TrainingRun*> quiet;
    std::ranges::copy_if(runs, std::back_inserter(quiet),
                         [](const TrainingRun* run) { return !is_disturbed(run->summary); });
    return quiet.empty() ? runs : quiet;
}

ScalingPoint point_of(const std::vector<const TrainingRun*>& all) {
    const auto runs = that_count(all);
    const TrainingRow& first = runs.front()->summary;
    ScalingPoint point;
    point.ranks = first.ranks;
    point.tokens_per_step = first.tokens_per_step;
    for (const TrainingRun* run : runs) {
        point.from.push_back(run->source);
        point.rates.push_back(run->summary.tokens_per_s);
        point.disturbed += is_disturbed(run->summary) ? 1 : 0;
    }
    const auto logs = logarithms(point.rates);
    point.rate = std::exp(mean(logs));
    point.interval = runs.size() > 1 ? exponential(mean_estimate(logs).interval)
                                     : Interval{first.tokens_per_s_low, first.tokens_per_s_high};
    point.gap = mean_gap(runs);
    point.changed = mean_changes(runs);
    point.split_step_s = split_step_s(runs, point.gap);
    return point;
}

double sum_of(const std::vector<GapRow>& gap, double GapRow::*member) {
    double sum = 0.0;
    for (const GapRow& one : gap) sum += one.*member;
    return sum;
}

}  // namespace

double ScalingPoint::gap_s() const {
    return sum_of(gap, &GapRow::time_s);
}

double ScalingPoint::predicted_s() const {
    return sum_of(gap, &GapRow::predicted_s);
}

std::string ScalingCurve::name() const {
    return fmt::format("{}: {} scaling", system.name(), is_weak ? "weak" : "strong");
}

double ScalingCurve::efficiency(const ScalingPoint& point) const {
    return speedup(point) / (point.ranks / base().ranks);
}

Interval ScalingCurve::efficiency_range(const ScalingPoint& point) const {
    if (&point == &base() || point.rates.size() < 2 || base().rates.size() < 2) return {NAN, NAN};
    const auto apart = mean_difference(logarithms(base().rates), logarithms(point.rates));
    const double half = half_width(apart, 0.95);
    return {efficiency(point) * std::exp(-half), efficiency(point) * std::exp(half)};
}

std::vector<ScalingCurve> scaling_curves(const std::vector<Source>& sources) {
    const auto all = training_runs(sources);
    std::vector<std::pair<Key, std::map<double, std::vector<const TrainingRun*>>>> found;
    for (const TrainingRun& run : all) {
        if (!(run.summary.tokens_per_step > 0.0)) continue;  // of an older version
        for (const bool is_weak : {true, false}) {
            const Key key = key_of(run, is_weak);
            auto known = std::ranges::find(found, key, [](const auto& one) { return one.first; });
            if (known == found.end()) known = found.insert(found.end(), {key, {}});
            known->second[run.summary.ranks].push_back(&run);
        }
    }
    std::vector<ScalingCurve> curves;
    for (const auto& [key, by_ranks] : found) {
        if (by_ranks.size() < 2) continue;
        ScalingCurve& curve = curves.emplace_back(ScalingCurve{key.system, key.is_weak, {}});
        for (const auto& [ranks, runs] : by_ranks) curve.points.push_back(point_of(runs));
    }
    return curves;
}

}  // namespace shardstone::results
