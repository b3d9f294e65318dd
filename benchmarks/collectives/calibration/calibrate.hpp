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
#include "collectives/operation/transport.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

struct CalibrationOptions {
    /// Operations whose candidate algorithms are also measured: see measure_candidates().
    std::vector<std::string> operations;
    std::int64_t largest_bytes = 64 << 20;  ///< of vectors and messages
    double seconds_per_size = 0.1;
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
    /// LinkOptions::over, without an obstacle here. Over one between GPUs, which the ranks have
    /// chosen, there are no operations.
    const collectives::Transport* over = &collectives::find_transport(collectives::plain_transport);
};

/// The calibration needed for the predictions and choices of a sweep.
CalibrationOptions calibration_for(const SweepPlan& plan);

/// Throws Error for less than two ranks. Local.
void require_links(const collectives::Communicator& communicator);

/// Describes the machine of these ranks from measurements alone: links and reductions over sizes,
/// with 95 % intervals for alpha, bandwidth and rate. If there is only one class of links, it is
/// used for both. Calls `progress` on every rank after every size with the current measurement and
/// its progress; it may throw equally on all ranks to end the calibration, and must do so if
/// interrupts are caught (interrupt.hpp) and any rank received one. There must be links to measure
/// (require_links()). Collective.
collectives::ClusterDescription calibrate(
    collectives::Communicator& communicator, const CalibrationOptions& options,
    const std::function<void(const std::string&)>& progress = {});

/// A calibration, and the state of the machine meanwhile.
struct WatchedCalibration {
    collectives::ClusterDescription cluster;
    Watched watched;
    std::vector<Stall> stalls;  ///< in all its tries; none if it was stopped
    bool stopped = false;       ///< in a further try, which does not count
};

/// Thrown by `progress`, equally on all ranks, to stop a calibration.
struct CalibrationStopped {};

/// calibrate(), repeated if other programs disturbed it or a rank stalled (Watch::until_quiet());
/// the source of the description says so if even the quietest try was disturbed. Stopped by
/// `progress`, it has the quietest complete try, and throws CalibrationStopped if there is none.
/// Collective.
WatchedCalibration calibrate_watched(collectives::Communicator& communicator,
                                     const CalibrationOptions& options,
                                     const std::function<void(const std::string&)>& progress = {});

/// Contribution to a sweep's record: its stalls in table "outliers", as operation "calibration".
results::Record part_of(const WatchedCalibration& calibration);

/// Text for the user: the figures in one line (cluster_line()), marked if they were disturbed,
/// followed by notes on stalls and disturbances.
std::string calibration_lines(const WatchedCalibration& calibration);

}  // namespace shardstone::benchmarks
