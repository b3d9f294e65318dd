// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/batch_study.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

std::string batch_heading();
/// A line for a batch size, as soon as it is known; `mark` is a remark on it.
std::string batch_row(const BatchPoint& point, std::int64_t sequence, const std::string& mark = "");
/// The noise during training, the fit, and the deviations of the points from it.
std::string batch_summary(const BatchStudy& study, const BatchResult& result);

/// "3 of 6 batch sizes and 0 noise scales were measured".
std::string progress_of(const BatchStudy& study, std::size_t batches, std::size_t noise_scales);

/// Writes the configuration of a new record of kind "batch-size".
void begin_batch_record(const BatchStudy& study, results::Record& record);

/// Contribution of an intermediate result: a batch size, still without the fit through all of them,
/// or a noise scale.
results::Record part_of(const BatchStudy& study, const BatchPoint& point);
results::Record part_of(const NoisePoint& point);

/// The batch sizes in a record, as one text that rank 0 sends to the others, and the reverse.
std::string batch_points_text(const results::Record& earlier);
std::vector<BatchPoint> batch_points(const std::string& text);

/// Adds tables "batches" and "noise" and checks to a record that was begun, replacing those of an
/// earlier run. Checks: every batch size reaches the target; the noise scale is resolved (its
/// interval does not reach 0) at the end. The quality of the fit is reported but not checked: it is
/// an approximation. If the study was interrupted, that is the only check, and it fails.
void fill_batch_record(const BatchStudy& study, const BatchResult& result, results::Record& record);

}  // namespace shardstone::benchmarks
