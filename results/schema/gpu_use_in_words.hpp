// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/schema/gpu_use.hpp"

namespace shardstone::results {

// What GPUs used, in the words of the screen and of the report; of at least one GPU.

/// "0.7 mJ per token: 1.43 kW of 2 GPUs over 12.3 s, first steps and evaluations included"; or why
/// that is not told. `tokens`: those of all steps in that time.
std::string energy_in_words(const std::vector<GpuUseRow>& gpus, double tokens);

/// "1965 MHz (median; 1755 at least, of rank 3), 75 degC at most; held down by power in 35 % of the
/// readings of rank 3": of the GPU with the lowest clock, of the hottest, and of the one that was
/// held down most. Empty where none told its clock.
std::string clocks_in_words(const std::vector<GpuUseRow>& gpus);

/// "3.1 GiB by the trainer, 32 MiB scratch, 410 MiB by libraries and others since, 600 MiB before,
/// of 80 GiB": of the GPU with the most that is taken.
std::string memory_in_words(const std::vector<GpuUseRow>& gpus);

}  // namespace shardstone::results
