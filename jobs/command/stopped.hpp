// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::command {

/// Whether any rank received a signal (interrupt.hpp): the same on all. Collective.
bool any_interrupted(const collectives::Communicator& world);

/// For a signal before anything was `measured` ("judged"): reports that there will be no record,
/// which would only obstruct the next run, and removes the journal. For rank 0; returns the exit
/// code.
int end_without_record(const std::string& measured);
/// The same for all ranks.
int end_without_record(const collectives::Communicator& world, const std::string& measured);

}  // namespace shardstone::command
