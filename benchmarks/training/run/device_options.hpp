// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/training/run/options.hpp"

namespace shardstone::benchmarks {

/// Rows of train_options(): the device, and the pace of one that is not there.
std::vector<TrainOption> device_options();

/// Bytes that memory moves per FLOP of passes where only these have a rate: an A100 in BF16 at the
/// half of its peak that trainings reach moves 2.0 TB/s beside 156 TFLOP/s.
inline constexpr double paced_bytes_per_flop = 2.0 / 156.0;

/// In the configuration of a record, the name of the GPU ("gpu") where ranks compute on some: the
/// first that this rank sees.
void add_gpu_name(reference::DeviceKind device, nlohmann::json& configuration);

}  // namespace shardstone::benchmarks
