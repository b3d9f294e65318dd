// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/step/pricing/rank_waits.hpp"
#include "reference/step/step_program.hpp"
#include "reference/step/timeline.hpp"
#include "reference/trainer/clock.hpp"

namespace shardstone::benchmarks {

/// The events of all ranks as a Chrome trace (JSON array of the "Trace Event Format", for
/// chrome://tracing or ui.perfetto.dev) on rank 0, empty elsewhere: one row per rank with its
/// passes and its update, and above it pending messages and transfers. `program` is the rank's
/// program, `origin_s` one moment on its clock (clock_origin()). Collective.
std::string chrome_trace(const collectives::Communicator& communicator,
                         const reference::StepProgram& program,
                         std::span<const reference::TraceEvent> events, double origin_s);

/// Where all ranks' actions and waiting for cores are of one step, on one clock.
struct MeasuredStep {
    reference::StepSpans spans;
    std::vector<reference::RankWaits> waits;  ///< by rank
};

/// Of the step on rank 0, empty elsewhere; `waits` are this rank's in that step, on its own clock.
/// Otherwise as measured_spans(). Collective.
MeasuredStep measured_step(const collectives::Communicator& communicator,
                           const reference::StepProgram& program,
                           std::span<const reference::TraceEvent> events,
                           const reference::RankWaits& waits, std::int64_t step, double origin_s);

/// Times of each action of one step, by rank and action, relative to the first on any rank: on rank
/// 0, for timeline_svg(); empty elsewhere. `events` are those of this rank and contain all of the
/// step's; `origin_s` as above. Communication starts when this rank started it. Collective.
reference::StepSpans measured_spans(const collectives::Communicator& communicator,
                                    const reference::StepProgram& program,
                                    std::span<const reference::TraceEvent> events,
                                    std::int64_t step, double origin_s);

}  // namespace shardstone::benchmarks
