// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "results/record/record.hpp"

namespace shardstone::command {

// The nodes' health (results/record/health.hpp) before a run and after it.

/// Reads each node's counters. run_recorded() calls it. Collective.
void begin_health(const collectives::Communicator& world);

/// Reads them again and reports to rank 0, which prints failures on stderr. To be called before the
/// record is written; collective.
void end_health(const collectives::Communicator& world);

/// Those that fail the run, in words (results/record/health.hpp). On rank 0 after end_health().
std::vector<std::string> failed_health_of_run();

/// Adds changes to a record: "health" in its environment (list of {node, counter, before, after,
/// fails}), and a failed check that names node and counter if one of them fails; in a record of an
/// interconnect that is left to the verdict. Neither if nothing has changed. On rank 0 after
/// end_health(). Local.
void add_health(results::Record& record);

/// Whether a counter that fails a run has changed: equal on all ranks. Local.
bool health_failed();

}  // namespace shardstone::command
