// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "results/schema/gpu_use.hpp"

namespace shardstone::benchmarks {

/// What the GPUs of all ranks told, in their order and with their numbers, on rank 0; nothing
/// elsewhere. Collective.
std::vector<results::GpuReadingRow> gathered_gpu_readings(
    const collectives::Communicator& world, const std::vector<results::GpuReadingRow>& mine);

}  // namespace shardstone::benchmarks
