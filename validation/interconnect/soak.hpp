// SPDX-License-Identifier: BSD-3-Clause
// Pair tests repeated for hours, of which only windows and what is unusual are kept.
#pragma once

#include <vector>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/interconnect/link_pass.hpp"
#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/measure_interconnect.hpp"

namespace shardstone::validation {

/// Passes over `rounds` until those of `measured`, with which the soak may go on, and the new ones
/// together took options.soak_s. `measured` holds the samples of passes before the soak, from which
/// the usual times are, and gets what the soak keeps (soak_sums.hpp), each part being told to the
/// observer at once; windows end with the soak, also if it is stopped. Every rank takes its own
/// pulse meanwhile. Collective.
void soak(const collectives::Communicator& world, const std::vector<benchmarks::LinkRound>& rounds,
          const InterconnectOptions& options, const InterconnectObserver& observer,
          benchmarks::Watch& watch, InterconnectMeasurement& measured);

/// The rows of table "conditions" for what was just watched.
std::vector<results::ConditionsRow> conditions_rows(
    const std::string& part, const std::vector<benchmarks::MachineSeen>& machines);

}  // namespace shardstone::validation
