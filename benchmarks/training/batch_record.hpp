// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/training/batch_study.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

std::string batch_heading();
/// A line for a batch size, as soon as it is known.
std::string batch_row(const BatchPoint& point, std::int64_t sequence);
/// The noise on the way, the fit, and how far the points are from it.
std::string batch_summary(const BatchStudy& study, const BatchResult& result);

/// Configuration, tables "batches" and "noise" and checks of a fresh record of kind "batch-size".
/// Checks: every batch size reaches the target; the noise scale is resolved (its interval does not
/// reach 0) at the end. How close the fit is, is reported and not checked: it is an approximation.
void fill_batch_record(const BatchStudy& study, const BatchResult& result, results::Record& record);

}  // namespace shardstone::benchmarks
