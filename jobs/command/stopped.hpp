// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::command {

/// Whether a signal came to any rank (interrupt.hpp): the same on all. Collective.
bool any_interrupted(const collectives::Communicator& world);

/// A signal came before anything was `measured` ("judged"): says that there will be no record,
/// which would only stand in the way of the next run, and lets the journal go. For rank 0; the exit
/// code.
int end_without_record(const std::string& measured);
/// The same for all ranks.
int end_without_record(const collectives::Communicator& world, const std::string& measured);

}  // namespace shardstone::command
