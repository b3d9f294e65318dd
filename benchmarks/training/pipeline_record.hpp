// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/pipeline_study.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Names of the columns of pipeline_rows().
std::string pipeline_heading();

/// A line for every point: measured, formula, virtual time, and their differences; `mark` is a
/// remark on the rows.
std::string pipeline_rows(const std::vector<PipelinePoint>& points, const std::string& mark = "");

/// Writes the configuration of a new record of kind "pipeline".
void begin_pipeline_record(const PipelineStudy& study, int stages, results::Record& record);

/// Contribution of a group to the record: samples, derived figures, stalls, and a check, unless it
/// is paced: all schedules give bitwise the same losses, as the order of additions is the same.
results::Record part_of(const PipelineGroup& group);

/// The points in a record, with the data needed by pipeline_rows() and notes.
std::vector<PipelinePoint> points_in(const results::Record& record);

/// Number of points in a record.
std::size_t measured_points(const results::Record& record);

/// "3 of 9 points were measured".
std::string progress_of(const PipelineStudy& study, std::size_t points);

/// Adds the check over all parts: virtual time is within 5 % of the formula. Wall-clock
/// measurements, and replays from them, are reported as well but not checked: they include other
/// work of the machine. Returns false if points are missing, which the record then states instead.
bool complete_pipeline_record(const PipelineStudy& study, results::Record& record);

}  // namespace shardstone::benchmarks
