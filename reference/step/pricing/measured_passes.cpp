// SPDX-License-Identifier: BSD-3-Clause
// Step costs from measured traces: each pass's median time; also a measured step's utilisation.
#include "reference/step/pricing/measured_passes.hpp"

#include <algorithm>
#include <limits>

#include "kernels/base/statistics.hpp"

namespace shardstone::reference {

namespace {

struct PassTime {
    double first_s = std::numeric_limits<double>::infinity();
    double last_s = 0.0;
    double busy_s = 0.0;
};

PassTime pass_time(std::span<const StepProgram> programs, const StepSpans& step) {
    PassTime time;
    for (std::size_t r = 0; r < programs.size(); ++r) {
        for (std::size_t i = 0; i < step[r].size(); ++i) {
            if (!programs[r].actions[i].is_pass()) continue;
            const ActionSpan& span = step[r][i];
            time.first_s = std::min(time.first_s, span.begin_s);
            time.last_s = std::max(time.last_s, span.end_s);
            time.busy_s += span.end_s - span.begin_s;
        }
    }
    return time;
}

}  // namespace

MeasuredPasses::MeasuredPasses(std::span<const StepProgram> programs,
                               std::span<const StepSpans> steps, const StepCosts& others)
    : others_(others) {
    std::vector<double> times_s(steps.size());
    for (std::size_t r = 0; r < programs.size(); ++r) {
        for (std::size_t i = 0; i < programs[r].actions.size(); ++i) {
            const Action& action = programs[r].actions[i];
            if (action.is_communication()) continue;
            std::ranges::transform(steps, times_s.begin(), [&](const StepSpans& step) {
                return step[r][i].end_s - step[r][i].begin_s;
            });
            median_s_[key_of(static_cast<int>(r), action)] = median(times_s);
        }
    }
}

MeasuredPasses::Key MeasuredPasses::key_of(int rank, const Action& action) {
    return {rank, action.kind, action.micro_batch, action.chunk, action.unit, action.phases.first};
}

double MeasuredPasses::compute_s(int rank, const Action& action) const {
    return median_s_.at(key_of(rank, action));
}

double measured_span_s(std::span<const StepProgram> programs, const StepSpans& step) {
    const PassTime time = pass_time(programs, step);
    return time.last_s - time.first_s;
}

double measured_utilisation(std::span<const StepProgram> programs, const StepSpans& step) {
    const PassTime time = pass_time(programs, step);
    return time.busy_s / (static_cast<double>(programs.size()) * (time.last_s - time.first_s));
}

}  // namespace shardstone::reference
