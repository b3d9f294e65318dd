// SPDX-License-Identifier: BSD-3-Clause
// Records of trainings as scaling curves: repetitions joined, ranks ascending, weak or strong.
#include "results/report/scaling_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
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
    point.left_out = all.size() - runs.size();
    const auto logs = logarithms(point.rates);
    point.rate = mean_rate(runs);
    point.interval = runs.size() > 1 ? exponential(mean_estimate(logs).interval)
                                     : Interval{first.tokens_per_s_low, first.tokens_per_s_high};
    point.split = mean_split(runs);
    return point;
}

/// Those of runs that share a key, a curve for each way to choose.
void add_curves(const Key& key, const std::vector<const TrainingRun*>& runs,
                std::vector<ScalingCurve>& curves) {
    std::vector<const Source*> sources;
    for (const TrainingRun* run : runs) sources.push_back(run->source);
    const auto of_runs = choices_of(sources);
    for (const Choices& choices : ways_to_choose(of_runs)) {
        std::map<double, std::vector<const TrainingRun*>> by_ranks;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (fit(of_runs[i], choices)) by_ranks[runs[i]->summary.ranks].push_back(runs[i]);
        }
        if (by_ranks.size() < 2) continue;
        ScalingCurve& curve = curves.emplace_back();
        curve.system = key.system;
        curve.choices = choices;
        curve.is_weak = key.is_weak;
        for (const auto& [ranks, same] : by_ranks) {
            curve.points.push_back(point_of(same));
            for (const TrainingRun* run : same) curve.runs.push_back(run->source);
        }
    }
}

/// To curves of one name adds the choices in which they differ.
void tell_choices_apart(std::vector<ScalingCurve>& curves) {
    std::vector<std::string> words;
    for (const ScalingCurve& curve : curves) {
        std::vector<Choices> others;
        for (const ScalingCurve& other : curves) {
            if (other.system.name() == curve.system.name()) others.push_back(other.choices);
        }
        words.push_back(words_apart(curve.choices, others));
    }
    for (std::size_t i = 0; i < curves.size(); ++i) curves[i].system.apart += words[i];
}

/// Of the runs that are used: another record's machine would be none of theirs.
void tell_machines_apart(std::vector<ScalingCurve>& curves) {
    const auto is_elsewhere = [&](const ScalingCurve& curve) {
        return curve.system.machine != curves.front().system.machine;
    };
    if (std::ranges::none_of(curves, is_elsewhere)) return;
    for (ScalingCurve& curve : curves) {
        curve.machine = ", on " + machine_name(*curve.base().from.front());
    }
}

}  // namespace

bool says_tokens_of_step(const TrainingRun& run) {
    return run.summary.tokens_per_step > 0.0;
}

std::string ScalingCurve::name() const {
    const double tokens = base().tokens_per_step;
    return fmt::format("{}{}: {}", system.name(), machine,
                       is_weak
                           ? fmt::format("weak scaling, {} per rank and step",
                                         plural(tokens / base().ranks, "token"))
                           : fmt::format("strong scaling, {} per step", plural(tokens, "token")));
}

std::vector<std::string> ScalingCurve::parts() const {
    std::vector<std::string> names;
    for (const ScalingPoint& point : points) {
        for (const GapRow& one : point.split.gap) {
            if (std::ranges::find(names, one.part) == names.end()) names.push_back(one.part);
        }
    }
    return names;
}

double ScalingCurve::efficiency(const ScalingPoint& point) const {
    return speedup(point) / (point.ranks / base().ranks);
}

bool ScalingCurve::is_disturbed() const {
    return std::ranges::any_of(points, &ScalingPoint::is_disturbed);
}

Interval ScalingCurve::efficiency_range(const ScalingPoint& point) const {
    if (&point == &base() || point.rates.size() < 2 || base().rates.size() < 2) return {NAN, NAN};
    const auto apart =
        mean_difference_of_two_deviations(logarithms(base().rates), logarithms(point.rates));
    const double half = half_width(apart, 0.95);
    return {efficiency(point) * std::exp(-half), efficiency(point) * std::exp(half)};
}

std::vector<ScalingCurve> scaling_curves(const std::vector<Source>& sources) {
    const auto all = training_runs(sources);
    std::vector<std::pair<Key, std::vector<const TrainingRun*>>> found;
    for (const TrainingRun& run : all) {
        if (!says_tokens_of_step(run)) continue;
        for (const bool is_weak : {true, false}) {
            const Key key = key_of(run, is_weak);
            auto known = std::ranges::find(found, key, [](const auto& one) { return one.first; });
            if (known == found.end()) known = found.insert(found.end(), {key, {}});
            known->second.push_back(&run);
        }
    }
    std::vector<ScalingCurve> curves;
    for (const auto& [key, runs] : found) add_curves(key, runs, curves);
    tell_machines_apart(curves);
    std::vector<TrainedSystem*> systems;
    for (ScalingCurve& curve : curves) systems.push_back(&curve.system);
    tell_apart(systems);
    tell_choices_apart(curves);
    return curves;
}

std::string builds_words(const ScalingCurve& curve) {
    std::set<std::string> builds;
    for (const Source* run : curve.runs) {
        const auto text = [&](const char* pointer) { return environment_text(*run, pointer); };
        builds.insert(fmt::format("{}|{}|{}|{}|{}", text("/build/revision"),
                                  text("/build/compiler"), text("/build/flags"), text("/libraries"),
                                  text("/kernels")));
    }
    return builds.size() < 2
               ? ""
               : fmt::format(
                     "{}: its runs are of {:.0f} builds of the program, which differ in "
                     "revision, compiler, flags or libraries (shardstone show).",
                     curve.name(), static_cast<double>(builds.size()));
}

}  // namespace shardstone::results
