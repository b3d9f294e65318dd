// SPDX-License-Identifier: BSD-3-Clause
// What transports of schedules between GPUs without NCCL have in common.
#pragma once

#include <string>

#include "collectives/executors/gpu/messages_cuda.hpp"
#include "collectives/operation/transport.hpp"

namespace shardstone::collectives {

/// Which rank has no GPU, in one line; empty if each has one, which is then noted for the record.
/// Collective.
std::string no_gpu(Communicator& communicator);

/// Over messages by that place, on vectors in the memory of each rank's GPU. Ranks may share one.
/// Executors are made after a look for the obstacle, unless it is that no_gpu() alone.
Transport between_gpus(const char* name, const char* summary, MessagePlace place,
                       Obstacle obstacle);

}  // namespace shardstone::collectives
