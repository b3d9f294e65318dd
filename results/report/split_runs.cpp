// SPDX-License-Identifier: BSD-3-Clause
// Repetitions of a training as one: the mean of their parts of a step, joined by name.
#include "results/report/split_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "kernels/base/statistics.hpp"

namespace shardstone::results {

namespace {

/// The rows of one run.
struct SplitRun {
    std::vector<GapRow> gap;
    std::vector<ChangedStepRow> changed;
};

/// The last steps, as many as were split.
double split_step_s(const TrainingRun& run, const std::vector<GapRow>& gap) {
    const double split = gap.front().split_steps;
    auto times_s = run.of_steps(&StepRow::time_s);
    if (!(split >= 1.0 && split <= static_cast<double>(times_s.size()))) return NAN;
    times_s.erase(times_s.begin(), times_s.end() - static_cast<std::ptrdiff_t>(split));
    return mean(times_s);
}

template <class Row>
const Row* named(const std::vector<Row>& rows, std::string Row::*name, const std::string& wanted) {
    const auto found = std::ranges::find(rows, wanted, name);
    return found == rows.end() ? nullptr : &*found;
}

/// Rows of different names in the order of the run that has most of them, then those that it lacks.
template <class Row, class Same>
std::vector<Row> all_of(const std::vector<SplitRun>& runs, std::vector<Row> SplitRun::*rows,
                        Same same) {
    const auto& most =
        std::ranges::max(runs, {}, [&](const auto& run) { return (run.*rows).size(); });
    std::vector<Row> all;
    const auto add = [&](const SplitRun& run) {
        for (const Row& row : run.*rows) {
            const auto is_it = [&](const Row& known) { return same(known, row); };
            if (std::ranges::none_of(all, is_it)) all.push_back(row);
        }
    };
    add(most);
    std::ranges::for_each(runs, add);
    return all;
}

GapRow mean_part(const std::vector<SplitRun>& runs, const std::string& part) {
    const auto count = static_cast<double>(runs.size());
    GapRow joined{part, 0.0, INFINITY, 0.0, 0.0, runs.front().gap.front().split_steps};
    const GapRow missing{part, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (const SplitRun& run : runs) {
        const GapRow* const found = named(run.gap, &GapRow::part, part);
        const GapRow& one = found == nullptr ? missing : *found;
        joined.time_s += one.time_s / count;
        joined.predicted_s += one.predicted_s / count;
        joined.time_s_low = std::min(joined.time_s_low, one.time_s_low);
        joined.time_s_high = std::max(joined.time_s_high, one.time_s_high);
    }
    return joined;
}

double sum_of(const std::vector<GapRow>& gap, double GapRow::*member) {
    double sum = 0.0;
    for (const GapRow& one : gap) sum += one.*member;
    return sum;
}

/// The mean step times the ratio that the change makes in the runs that have it; where all have it,
/// that is the mean of the changed steps.
ChangedStepRow mean_change(const std::vector<SplitRun>& runs, const MeanSplit& mean_of,
                           const ChangedStepRow& change) {
    double before_s = 0.0, predicted_before_s = 0.0;
    ChangedStepRow joined{change.change, change.detail, 0.0, 0.0};
    for (const SplitRun& run : runs) {
        const auto one = std::ranges::find_if(
            run.changed, [&](const auto& row) { return is_same_change(row, change); });
        if (one == run.changed.end()) continue;
        joined.step_s += one->step_s;
        joined.predicted_s += one->predicted_s;
        before_s += sum_of(run.gap, &GapRow::time_s);
        predicted_before_s += sum_of(run.gap, &GapRow::predicted_s);
    }
    joined.step_s *= mean_of.parts_s() / before_s;
    joined.predicted_s *= mean_of.predicted_s() / predicted_before_s;
    return joined;
}

}  // namespace

bool is_same_change(const ChangedStepRow& one, const ChangedStepRow& other) {
    return one.change == other.change && one.detail == other.detail;
}

double MeanSplit::parts_s() const {
    return sum_of(gap, &GapRow::time_s);
}

double MeanSplit::predicted_s() const {
    return sum_of(gap, &GapRow::predicted_s);
}

const GapRow* MeanSplit::part(const std::string& name) const {
    return named(gap, &GapRow::part, name);
}

MeanSplit mean_split(const std::vector<const TrainingRun*>& runs) {
    MeanSplit mean_of;
    std::vector<SplitRun> split;
    std::vector<double> steps_s;
    for (const TrainingRun* run : runs) {
        auto gap = rows<GapRow>(*run->source);
        if (gap.empty()) {
            mean_of.without.push_back(run->source);
            continue;
        }
        steps_s.push_back(split_step_s(*run, gap));
        split.push_back({std::move(gap), rows<ChangedStepRow>(*run->source)});
    }
    if (split.empty()) return mean_of;
    const auto is_same_part = [](const GapRow& one, const GapRow& other) {
        return one.part == other.part;
    };
    for (const GapRow& part : all_of(split, &SplitRun::gap, is_same_part)) {
        mean_of.gap.push_back(mean_part(split, part.part));
    }
    for (const ChangedStepRow& change : all_of(split, &SplitRun::changed, is_same_change)) {
        mean_of.changed.push_back(mean_change(split, mean_of, change));
    }
    mean_of.step_s = mean(steps_s);
    return mean_of;
}

}  // namespace shardstone::results
