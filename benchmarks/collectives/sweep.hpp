// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep_options.hpp"
#include "benchmarks/harness/measure.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/schedule/cost_model.hpp"

namespace shardstone::benchmarks {

/// One algorithm at one size. Equal on all ranks, but for predicted_s and the figures that follow
/// from it, which only rank 0 has.
struct SweepPoint {
    std::string algorithm;
    int ranks = 1;
    std::int64_t size_bytes = 0;
    std::int64_t count = 0;
    Measurement measurement;
    double predicted_s = 0.0;          ///< not a number without a schedule
    double bytes_sent_per_rank = 0.0;  ///< of one run, the most any rank sent; not a number
                                       ///< without a schedule
    std::int64_t checked_runs = 0;
    std::int64_t wrong_elements = 0;  ///< over all ranks and checked runs

    bool passed() const { return checked_runs > 0 && wrong_elements == 0; }
    /// size / time, decimal.
    double algbw_gb_s() const;
    /// algbw 2 (P - 1) / P: the rate at which each rank's link must have worked if the algorithm
    /// moves the least an all-reduce can, so that it can be held against the link's own rate for
    /// any P (nccl-tests, doc/PERFORMANCE.md).
    double busbw_gb_s() const;
};

struct Sweep {
    collectives::CostParameters costs;
    std::vector<SweepPoint> points;

    bool passed() const;
};

/// What sees the sweep while it runs; called on every rank.
struct SweepObserver {
    std::function<void(const collectives::CostParameters&)> calibrated;
    std::function<void(const SweepPoint&)> measured;
};

/// Calibrates the cost model, then measures every size with every algorithm, and checks each on the
/// buffer and the prepared collective that were timed. Collective.
Sweep run_sweep(collectives::Communicator& communicator, const SweepOptions& options,
                const SweepPlan& plan, const SweepObserver& observer);

}  // namespace shardstone::benchmarks
