// SPDX-License-Identifier: BSD-3-Clause
// How long a paced study of pipelines is to take.
#include "jobs/command/study_pace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/harness/watch.hpp"
#include "jobs/command/pace_option.hpp"
#include "kernels/base/units.hpp"
#include "reference/trainer/paced_device.hpp"

namespace shardstone::command {

namespace {

/// In minutes from two on.
std::string duration_text(double time_s) {
    return time_s < 120.0 ? format_time(time_s) : fmt::format("{:.0f} min", time_s / 60.0);
}

}  // namespace

StudyTimes paced_study_times(const benchmarks::PipelineStudy& study, int stages) {
    StudyTimes times;
    const auto steps = static_cast<double>(study.warmup_limit() + study.steps);
    for (const std::string& schedule : study.schedules) {
        for (const std::int64_t micro_batches : study.micro_batches) {
            const auto training = pipeline_training(study, stages, schedule, micro_batches);
            const double step_s = paced_step_s(training, reference::paced_machine(training));
            times.longest_step_s = std::max(times.longest_step_s, step_s);
            times.total_s += steps * step_s;
        }
    }
    return times;
}

std::string study_pace_line(const benchmarks::PipelineStudy& study,
                            const benchmarks::PipelineStudy& missing, int stages) {
    const auto line = pace_line(*study.pace, paced_study_times(study, stages).longest_step_s);
    if (missing.micro_batches.empty()) return line;
    return fmt::format("{}, {} in all, up to {} times that where other programs disturb it", line,
                       duration_text(paced_study_times(missing, stages).total_s),
                       benchmarks::most_tries);
}

}  // namespace shardstone::command
