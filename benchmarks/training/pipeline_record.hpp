// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/pipeline_study.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// Names of the columns of pipeline_rows().
std::string pipeline_heading();

/// A line for every point: measured, formula, virtual time, and how far they are apart.
std::string pipeline_rows(const std::vector<PipelinePoint>& points);

/// The configuration of a fresh record of kind "pipeline".
void begin_pipeline_record(const PipelineStudy& study, int stages, results::Record& record);

/// Samples and derived figures of some points.
results::Record part_of(const std::vector<PipelinePoint>& points);

/// Configuration, samples, derived figures and checks of a fresh record of kind "pipeline". Checks:
/// all schedules give the same losses to the last bit, as the order of additions is one and the
/// same; virtual time is within 5 % of the formula. What was measured by the wall clock, and what
/// is replayed from it, is reported beside them and not checked: it has the machine's other work in
/// it.
void fill_pipeline_record(const PipelineStudy& study, int stages,
                          const std::vector<PipelinePoint>& points, results::Record& record);

}  // namespace shardstone::benchmarks
