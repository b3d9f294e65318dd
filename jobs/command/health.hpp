// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"
#include "results/record/record.hpp"

namespace shardstone::command {

// The nodes' health (results/record/health.hpp) before a run and after it.

/// Reads each node's counters. run_recorded() calls it. Collective.
void begin_health(const collectives::Communicator& world);

/// Reads them again and tells rank 0, which says on stderr what fails. Before the record is
/// written; collective.
void end_health(const collectives::Communicator& world);

/// Adds to a record what has changed: "health" in its environment (list of {node, counter, before,
/// after, fails}), and a failed check that names node and counter where one of them fails. Neither,
/// where nothing has. On rank 0 after end_health(). Local.
void add_health(results::Record& record);

/// Whether a counter that fails a run has changed: equal on all ranks. Local.
bool health_failed();

}  // namespace shardstone::command
