// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/pipeline_study.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Names of the columns of pipeline_rows().
std::string pipeline_heading();

/// A line for every point: measured, formula, virtual time, and how far they are apart; `mark` is
/// what is to be known of the rows.
std::string pipeline_rows(const std::vector<PipelinePoint>& points, const std::string& mark = "");

/// The configuration of a fresh record of kind "pipeline".
void begin_pipeline_record(const PipelineStudy& study, int stages, results::Record& record);

/// What a group adds to it: samples, derived figures, what stalled it, and a check: all schedules
/// give the same losses to the last bit, as the order of additions is one and the same.
results::Record part_of(const PipelineGroup& group);

/// The points that a record holds, as far as pipeline_rows() and notes need them.
std::vector<PipelinePoint> points_in(const results::Record& record);

/// How many points a record holds.
std::size_t measured_points(const results::Record& record);

/// "3 of 9 points were measured".
std::string progress_of(const PipelineStudy& study, std::size_t points);

/// Adds the check over all parts: virtual time is within 5 % of the formula. What was measured by
/// the wall clock, and what is replayed from it, is reported beside them and not checked: it has
/// the machine's other work in it. False where points are missing, which the record then says
/// instead.
bool complete_pipeline_record(const PipelineStudy& study, results::Record& record);

}  // namespace shardstone::benchmarks
