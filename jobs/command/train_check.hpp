// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"
#include "jobs/command/train_options.hpp"
#include "reference/data/dataset.hpp"

namespace shardstone::command {

/// The tokens of a folder of shards; of the text in the program if it is empty. Throws Error.
reference::Dataset open_training_data(const std::filesystem::path& folder);

/// Throws Error if the arguments give a limit of memory and a rank needs more.
void require_memory_limit(const TrainArguments& arguments, const reference::TrainOptions& options);

/// Throws Error for what is asked for and not to be had on a GPU: the times of single actions,
/// which a GPU runs later than the host starts them, and a limit of the host's memory.
void require_device_can(const TrainArguments& arguments, const reference::TrainOptions& options);

/// Of a training on GPUs: throws AgreedError where no messages pass between them, as between ranks
/// that would share one, or where a rank's tensors need more than is free on its GPU, before
/// anything is taken there. Collective.
void require_gpus_for(const reference::TrainOptions& options, collectives::Communicator& world);

/// Throws Error for what any job of so many ranks would refuse before its first step.
void require_train_runs(const TrainArguments& arguments, int ranks);

}  // namespace shardstone::command
