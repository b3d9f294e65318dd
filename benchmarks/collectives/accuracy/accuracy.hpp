// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/collectives/accuracy/plan.hpp"
#include "benchmarks/collectives/accuracy/sum_error.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Accuracy of the sums of one algorithm in one element type, and whether they are bitwise
/// reproducible. Equal on all ranks.
struct SumAccuracy {
    std::string operation;
    std::string algorithm;
    ElementType type = ElementType::fp32;
    int ranks = 1;
    std::int64_t elements = 0;
    int depth = 0;  ///< additions on the longest path (depth.hpp)
    SumError error;
    bool same_in_all_runs = true;
    std::optional<bool> same_on_all_ranks;  ///< if every rank gets the same elements
    std::optional<bool> as_scheduled;       ///< bitwise equal to its schedule, if it has one
    std::uint64_t digest = 0;               ///< of the bits of all ranks in the first run

    double rms_ulp() const;
    /// Description of all faults; empty if there are none. Everything here is required: replicas of
    /// a model that receive bitwise different sums diverge.
    std::vector<std::string> faults() const;
    bool passed() const { return faults().empty(); }
};

/// Number of sums that measure_accuracy() returns if not interrupted.
std::size_t planned_sums(const AccuracyPlan& plan, int ranks);

/// Runs every algorithm of the plan in every type, several times on equal inputs, with a different
/// rank late each time so that messages arrive in different orders. In place. Collective; calls
/// `measured` (on every rank) after each. Ordered by operation, vector, type, then algorithm. If
/// interrupts are caught (interrupt.hpp) and any rank received one, it ends before the next. Throws
/// Error if a type cannot hold sums over this many ranks.
std::vector<SumAccuracy> measure_accuracy(
    collectives::Communicator& communicator, const AccuracyPlan& plan,
    const std::function<void(const SumAccuracy&)>& measured = [](const SumAccuracy&) {});

}  // namespace shardstone::benchmarks
