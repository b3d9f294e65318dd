// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

TrainingRun read_training_run(const Source& source) {
    TrainingRun run;
    run.source = &source;
    run.system = trained_system(source);
    run.summary = rows<TrainingRow>(source).front();
    run.steps = rows<StepRow>(source);
    run.cores = cores_of(source);
    run.plan = setting_text(source, "plan", plural(run.summary.ranks, "rank"));
    return run;
}

std::string label_of(const TrainingRun& run) {
    TrainedSystem named = run.system;
    named.split = run.plan;
    if (run.plan.find("pp=") != std::string::npos) {
        named.split += "," + setting_text(*run.source, "schedule", "");
    }
    return named.name();
}

/// Runs with one label get their files' names.
void label_runs(std::vector<TrainingGroup>& groups) {
    std::map<std::string, int> times;
    for (auto& group : groups) {
        for (auto& run : group) ++times[run.label = label_of(run)];
    }
    for (auto& group : groups) {
        for (auto& run : group) {
            if (times[run.label] > 1) run.label += ", " + run.source->file();
        }
    }
}

}  // namespace

std::vector<double> TrainingRun::of_steps(double StepRow::*member) const {
    std::vector<double> values;
    for (const StepRow& step : steps) values.push_back(step.*member);
    return values;
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
    label_runs(groups);
    return groups;
}

std::vector<TrainingRun> training_runs(const std::vector<Source>& sources) {
    std::vector<TrainingRun> runs;
    for (const auto& group : training_groups(sources)) {
        runs.insert(runs.end(), group.begin(), group.end());
    }
    return runs;
}

double efficiency(const TrainingRun& run, const TrainingGroup& group) {
    const TrainingRun& base = group.front();
    if (!(run.summary.ranks > base.summary.ranks)) return NAN;
    return run.summary.tokens_per_s / run.workers() / (base.summary.tokens_per_s / base.workers());
}

}  // namespace shardstone::results
