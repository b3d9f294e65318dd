// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::command {

/// collectives::preflight(), whose warnings rank 0 prints on stderr, for ranks of one command line.
/// Returns on rank 0 the entries for a record's environment: "preflight" (the warnings) and
/// "leftovers_cleared" (number of segments of killed runs), each only if there are any. Throws
/// AgreedError. Collective.
nlohmann::json run_preflight(const collectives::Communicator& world);

/// Prints a warning on stderr if the nodes' processors are of different models. `machines`:
/// machine_description() of each node.
void warn_of_different_cpus(const nlohmann::json& machines);

}  // namespace shardstone::command
