// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::command {

/// For --device cuda: the name of the first GPU that this process sees. Throws Error where it sees
/// none, or was built without CUDA.
std::string require_gpu();

/// For --device cuda on several ranks, before anything is begun: throws AgreedError where NCCL
/// cannot pass their messages, as between two ranks that would share a GPU. Collective.
void require_messages_between_gpus(collectives::Communicator& world);

/// For a training on several ranks with this --device, before anything is begun: all of the above
/// where it is GPUs. Throws AgreedError. Collective.
void require_device(collectives::Communicator& world, reference::DeviceKind device);

/// Attention heads of a model of so many channels: `usual`, or as many as a GPU's kernels, whose
/// heads have at most 128, need.
std::int64_t least_heads(reference::DeviceKind device, std::int64_t channels, std::int64_t usual);

/// With --device cuda: each rank takes the GPU of its lane. Collective.
void choose_gpus(const collectives::Communicator& world);

/// The same, and on rank 0 the GPUs that the ranks compute on. Collective.
void tell_gpus(const collectives::Communicator& world);

/// The same for a training with this --device: `title` of its record, with what the ranks train on
/// where it is GPUs. Collective.
std::string title_on(const collectives::Communicator& world, reference::DeviceKind device,
                     const std::string& title);

}  // namespace shardstone::command
