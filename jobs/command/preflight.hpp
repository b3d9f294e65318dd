// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::command {

/// collectives::preflight(), whose warnings rank 0 puts on stderr. Returns on rank 0 what a
/// record's environment keeps of it: "preflight" (the warnings) and "leftovers_cleared" (how many
/// segments of killed runs), each only where there are any. Throws AgreedError. Collective.
nlohmann::json run_preflight(const collectives::Communicator& world);

/// Says on stderr where the nodes' processors are not of one model. `machines`: what
/// machine_description() says of each node.
void warn_of_different_cpus(const nlohmann::json& machines);

}  // namespace shardstone::command
