// SPDX-License-Identifier: BSD-3-Clause
// Which GPU a rank uses; only in a build with CUDA.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/executors/gpu/obstacle.hpp"

namespace shardstone::collectives {

/// Chooses this rank's GPU for all that follows: by its lane on its node, of those that it sees;
/// more ranks than GPUs share them. `world`: of all ranks. Collective. Throws AgreedError naming a
/// rank that sees none.
void choose_gpu_of_rank(const Communicator& world);
/// Its number, if that was done.
std::optional<int> chosen_gpu();

/// The number of this rank's GPU of the `visible` ones: that which it has chosen, else by its lane
/// on its node as found.
int number_of_gpu(const Communicator& communicator, int visible);

/// Selects that GPU for the calling thread and returns its number. Collective. Throws AgreedError
/// naming a rank that has none.
int use_gpu_of_rank(const Communicator& communicator);

/// On rank 0, the GPU of every rank, or why it has none; else none. Collective.
std::vector<DeviceOfRank> gpus_of_ranks(const Communicator& communicator);
/// The same on every rank. Collective.
std::vector<DeviceOfRank> gpus_on_all_ranks(const Communicator& communicator);

/// Tells the run's record which GPUs the ranks use, and by what software: these versions and
/// CUDA's. Each rank has one. Collective.
void note_gpus(const Communicator& communicator, std::map<std::string, std::string> versions = {});

/// "CUDA driver" and "CUDA runtime": the driver's is the newest CUDA that it can run.
std::map<std::string, std::string> cuda_versions();

}  // namespace shardstone::collectives
