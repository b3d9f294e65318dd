// SPDX-License-Identifier: BSD-3-Clause
// What GPUs told of themselves while they multiplied in the tests of ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/gpu_use.hpp"
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// A row for the GPU of each rank; none where no GPU told anything.
std::vector<results::GpuUseRow> gpu_use_rows(const InterconnectSamples& samples);

/// " (its clock, 1200 MHz, was held down by power in 60 % of the readings)" of a rank's GPU;
/// " (its clock: 1965 MHz)" where nothing held it down, or it does not tell what; empty where it
/// did not tell its clock.
std::string clock_in_words(double rank, std::span<const results::GpuUseRow> gpus);

/// "Clocks of GPUs are not known (rank 1: ...): ...": where one cannot be read; else empty.
std::string unread_gpus_in_words(const std::string& why);

}  // namespace shardstone::validation
