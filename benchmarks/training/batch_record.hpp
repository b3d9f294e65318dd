// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/batch_study.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

std::string batch_heading();
/// A line for a batch size, as soon as it is known; `mark` is what is to be known of it.
std::string batch_row(const BatchPoint& point, std::int64_t sequence, const std::string& mark = "");
/// The noise on the way, the fit, and how far the points are from it.
std::string batch_summary(const BatchStudy& study, const BatchResult& result);

/// "3 of 6 batch sizes and 0 noise scales were measured".
std::string progress_of(const BatchStudy& study, std::size_t batches, std::size_t noise_scales);

/// The configuration of a fresh record of kind "batch-size".
void begin_batch_record(const BatchStudy& study, results::Record& record);

/// What is known of it at once: a batch size, still without the fit through all of them, or a noise
/// scale.
results::Record part_of(const BatchStudy& study, const BatchPoint& point);
results::Record part_of(const NoisePoint& point);

/// The batch sizes that a record holds, as one text that rank 0 sends to the others, and back.
std::string batch_points_text(const results::Record& earlier);
std::vector<BatchPoint> batch_points(const std::string& text);

/// Puts tables "batches" and "noise" and checks into a record that was begun, in place of those
/// that it may have of an earlier run. Checks: every batch size reaches the target; the noise scale
/// is resolved (its interval does not reach 0) at the end. How close the fit is, is reported and
/// not checked: it is an approximation. Where it was interrupted, that is the only check, and
/// fails.
void fill_batch_record(const BatchStudy& study, const BatchResult& result, results::Record& record);

}  // namespace shardstone::benchmarks
