// SPDX-License-Identifier: BSD-3-Clause
// Which GPU a rank uses; only in a build with CUDA.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Chooses this rank's GPU for all that follows: by its lane on its node, of those that it sees;
/// more ranks than GPUs share them. `world`: of all ranks. Collective. Throws AgreedError naming a
/// rank that sees none.
void choose_gpu_of_rank(const Communicator& world);
/// Its number, if that was done.
std::optional<int> chosen_gpu();

/// "CUDA driver" and "CUDA runtime": the driver's is the newest CUDA that it can run.
std::map<std::string, std::string> cuda_versions();

}  // namespace shardstone::collectives
