// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "reference/trainer/clock.hpp"

namespace shardstone::reference {

/// The events of all ranks as a Chrome trace (JSON array of the "Trace Event Format", for
/// chrome://tracing or ui.perfetto.dev) on rank 0, empty elsewhere: one row per rank with forward,
/// backward, data and optimizer, and above it the buckets in flight. `origin_s` is each rank's
/// clock at one agreed moment, e.g. after a barrier. Collective.
std::string chrome_trace(const collectives::Communicator& communicator,
                         std::span<const TraceEvent> events, double origin_s);

}  // namespace shardstone::reference
