// SPDX-License-Identifier: BSD-3-Clause
// Which steps of a training were stalled, and by whom.
#include "benchmarks/training/step_stalls.hpp"

#include "benchmarks/harness/stall_record.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

using reference::StepPart;

/// The steps of one rank, out of those of all.
std::vector<RankStep> steps_of_rank(int rank, const TrainingResult& result) {
    const std::size_t ranks = result.rank_steps.size() / result.steps.size();
    std::vector<RankStep> own;
    for (std::size_t i = static_cast<std::size_t>(rank); i < result.rank_steps.size(); i += ranks) {
        own.push_back(result.rank_steps[i]);
    }
    return own;
}

}  // namespace

double work_of_step_s(const reference::StepPartTimes& phases) {
    double sum_s = 0.0;
    for (const StepPart phase : {StepPart::compute, StepPart::data, StepPart::optimizer}) {
        sum_s += phases[static_cast<std::size_t>(phase)];
    }
    return sum_s;
}

TrainingStalls stalls_of(StallWatch& pulses, int rank, const TrainingResult& result,
                         const Surroundings& seen) {
    const auto own = steps_of_rank(rank, result);
    std::vector<double> samples_s, begin_s, end_s, works_s;
    for (std::size_t s = 0; s < own.size(); ++s) {
        samples_s.push_back(result.steps[s].time_s);
        begin_s.push_back(result.steps[s].begin_s);
        end_s.push_back(begin_s.back() + own[s].time_s);
    }
    const std::size_t first = warmup_count(samples_s);
    for (std::size_t s = first; s < own.size(); ++s)
        works_s.push_back(work_of_step_s(own[s].phases));
    TrainingStalls found{pulses.look(samples_s, begin_s, end_s, seen),
                         pulses.rank_times(median(works_s), Surroundings::not_told)};
    std::erase_if(found.stalls, [&](const Stall& stall) {
        return !stall.outlier.stood_still() &&
               stall.outlier.occasion.iteration < static_cast<std::int64_t>(first);
    });
    return found;
}

std::vector<results::OutlierRow> outlier_rows(const TrainingStalls& found) {
    auto rows = outlier_rows(found.stalls);
    for (results::OutlierRow& row : rows) {
        row.step = row.iteration + 1.0;
        row.iteration = results::not_measured;
    }
    return rows;
}

void add_stalls(const TrainingStalls& found, results::Record& record) {
    record.derived.push_back(results::table_of(outlier_rows(found)));
    record.derived.push_back(rank_times_table(found.rank_times));
}

}  // namespace shardstone::benchmarks
