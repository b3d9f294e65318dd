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

/// How well one algorithm adds up in one element type, and whether it always gives the same bits.
/// Equal on all ranks.
struct SumAccuracy {
    std::string operation;
    std::string algorithm;
    ElementType type = ElementType::fp32;
    int ranks = 1;
    std::int64_t elements = 0;
    int depth = 0;  ///< additions on the longest path (depth.hpp)
    SumError error;
    bool same_in_all_runs = true;
    std::optional<bool> same_on_all_ranks;  ///< where every rank gets the same elements
    std::optional<bool> as_scheduled;       ///< the bits of its schedule, where it has one
    std::uint64_t digest = 0;               ///< of the bits of all ranks in the first run

    double rms_ulp() const;
    /// What is wrong, in words; empty when nothing is. Everything here is demanded: replicas of a
    /// model that are given sums of different bits drift apart.
    std::vector<std::string> faults() const;
    bool passed() const { return faults().empty(); }
};

/// How many sums measure_accuracy() gives when nothing ends it.
std::size_t planned_sums(const AccuracyPlan& plan, int ranks);

/// Runs every algorithm of the plan in every type, several times on equal inputs, with another rank
/// late each time so that messages arrive in other orders. In place. Collective; calls `measured`
/// (on every rank) after each. By operation, vector, type, then algorithm. Where interrupts are
/// caught (interrupt.hpp) and one came to any rank, it ends before the next. Throws Error where a
/// type cannot hold sums over so many ranks.
std::vector<SumAccuracy> measure_accuracy(
    collectives::Communicator& communicator, const AccuracyPlan& plan,
    const std::function<void(const SumAccuracy&)>& measured = [](const SumAccuracy&) {});

}  // namespace shardstone::benchmarks
