// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/harness/stall_watch.hpp"
#include "benchmarks/harness/watch.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/description.hpp"
#include "collectives/operation/spec.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

struct CalibrationOptions {
    /// Operations of which the likely algorithms are measured, too: see measure_candidates().
    std::vector<std::string> operations;
    std::int64_t largest_bytes = 64 << 20;  ///< of vectors and messages
    double seconds_per_size = 0.1;
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
};

/// What the predictions and choices of a sweep need.
CalibrationOptions calibration_for(const SweepPlan& plan);

/// Throws Error for less than two ranks. Local.
void require_links(const collectives::Communicator& communicator);

/// Describes the machine that these ranks are on by measurements alone: links and reductions over
/// sizes, with 95 % intervals for alpha, bandwidth and rate. What there is only one class of stands
/// for both. Calls `progress` on every rank after every size with what is being
/// measured and how much of it is done, which may throw on all of them alike to end it; where
/// interrupts are caught (interrupt.hpp) it must, once one came to any rank. There are links to
/// measure (require_links()). Collective.
collectives::ClusterDescription calibrate(
    collectives::Communicator& communicator, const CalibrationOptions& options,
    const std::function<void(const std::string&)>& progress = {});

/// A calibration, and what the machine did meanwhile.
struct WatchedCalibration {
    collectives::ClusterDescription cluster;
    Watched watched;
    std::vector<Stall> stalls;  ///< in all its tries
};

/// calibrate(), taken again where others disturbed it or a rank stood still (Watch::until_quiet());
/// the source of the description says so where even the quietest try was. Collective.
WatchedCalibration calibrate_watched(collectives::Communicator& communicator,
                                     const CalibrationOptions& options,
                                     const std::function<void(const std::string&)>& progress = {});

/// What it adds to a sweep's record: its stalls in table "outliers", as operation "calibration".
results::Record part_of(const WatchedCalibration& calibration);

/// What the user reads of it: the figures in one line (cluster_line()), marked where they were
/// disturbed, and then notes on stalls and disturbances below.
std::string calibration_lines(const WatchedCalibration& calibration);

}  // namespace shardstone::benchmarks
