// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/training/pipeline_study.hpp"

namespace shardstone::command {

/// What a paced study of pipelines takes, by prediction.
struct StudyTimes {
    double longest_step_s = 0.0;
    double total_s = 0.0;  ///< of all steps, warm-up included, each measured in one try
};

/// Of a study that is possible on so many ranks, and paced. Throws Error where nobody waits for a
/// step of it: paced_step_s().
StudyTimes paced_study_times(const benchmarks::PipelineStudy& study, int stages);

/// The device in a line for the screen, the longest predicted step of the study, and how long takes
/// what is `missing` of it.
std::string study_pace_line(const benchmarks::PipelineStudy& study,
                            const benchmarks::PipelineStudy& missing, int stages);

}  // namespace shardstone::command
