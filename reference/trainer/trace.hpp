// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "reference/step/step_program.hpp"
#include "reference/trainer/clock.hpp"

namespace shardstone::reference {

/// The events of all ranks as a Chrome trace (JSON array of the "Trace Event Format", for
/// chrome://tracing or ui.perfetto.dev) on rank 0, empty elsewhere: one row per rank with its
/// passes and its update, and above it messages and transfers under way. `program` is what the rank
/// ran, `origin_s` its clock at one agreed moment, e.g. after a barrier. Collective.
std::string chrome_trace(const collectives::Communicator& communicator, const StepProgram& program,
                         std::span<const TraceEvent> events, double origin_s);

}  // namespace shardstone::reference
