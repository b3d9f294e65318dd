// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/point.hpp"
#include "benchmarks/harness/machine_reader.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Callbacks during a sweep; called on every rank, if set.
struct SweepObserver {
    std::function<void(const OperationPlan&)> began;
    std::function<void(const PointName&)> left_out;  ///< in its place, of an earlier sweep
    std::function<void(const SweepPoint&)> measured;
    std::function<void(const NoiseFloor&)> compared;
};

/// Measures every operation at every size, in place and out of place, with every algorithm, and
/// predicts from the communicator's description of the machine (Communicator::cluster()). Checks
/// the result of the last timed iteration, in the timed buffer, and of further runs if requested.
/// The plan must fit the ranks (fit_plan()). If interrupts are caught (interrupt.hpp) and any rank
/// received one, it ends before the next point. Disturbances are what the reader tells (watch.hpp).
/// Collective.
Sweep run_sweep(collectives::Communicator& communicator, const SweepOptions& options,
                const SweepPlan& plan, const SweepObserver& observer,
                std::unique_ptr<const MachineReader> reader = std::make_unique<MachineReader>());

}  // namespace shardstone::benchmarks
