// SPDX-License-Identifier: BSD-3-Clause
// What GPUs told of themselves while they multiplied in the tests of ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/gpu_use.hpp"
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// A row for the GPU of each rank; none where no GPU told anything, nor why it does not. Between
/// its readings a GPU did other work, or none: what it used in that time is not told, and its power
/// is the mean of what it took in the readings.
std::vector<results::GpuUseRow> gpu_use_rows(const InterconnectSamples& samples);

/// " (its clock, 1200 MHz, all GPUs' median 1980 MHz, was held down by power in 60 % of the
/// readings)" of a rank's GPU, or that nothing held it down, or that this is not told; empty where
/// it did not tell its clock.
std::string clock_in_words(double rank, std::span<const results::GpuUseRow> gpus);

/// "Clocks of 2 of 8 GPUs are not known (rank 1: ...): ..."; empty where all are, or there are
/// none.
std::string unread_gpus_in_words(std::span<const results::GpuUseRow> gpus);

}  // namespace shardstone::validation
