// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::command {

/// For --device cuda: the name of the first GPU that this process sees. Throws Error where it sees
/// none, or was built without CUDA.
std::string require_gpu();

/// For --device cuda on several ranks, before anything is begun: throws AgreedError where NCCL
/// cannot pass their messages, as between two ranks that would share a GPU. Collective.
void require_messages_between_gpus(collectives::Communicator& world);

/// With --device cuda: each rank takes the GPU of its lane. Collective.
void choose_gpus(const collectives::Communicator& world);

/// The same, and on rank 0 the GPUs that the ranks compute on. Collective.
void tell_gpus(const collectives::Communicator& world);

}  // namespace shardstone::command
