// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/point.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// What sees the sweep while it runs; called on every rank, where set.
struct SweepObserver {
    std::function<void(const OperationPlan&)> began;
    std::function<void(const PointName&)> left_out;  ///< in its place, being of an earlier sweep
    std::function<void(const SweepPoint&)> measured;
    std::function<void(const NoiseFloor&)> compared;
};

/// Measures every operation at every size, in place and not, with every algorithm, and predicts by
/// what the communicator knows of the machine (Communicator::cluster()). What is checked is the
/// result of the last timed iteration, where it lies, and of further runs where more are asked for.
/// The plan fits the ranks (fit_plan()). Where interrupts are caught (interrupt.hpp) and one came
/// on any rank, it ends before the next point. Collective.
Sweep run_sweep(collectives::Communicator& communicator, const SweepOptions& options,
                const SweepPlan& plan, const SweepObserver& observer);

}  // namespace shardstone::benchmarks
