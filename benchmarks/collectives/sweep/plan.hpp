// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/collectives/algorithm_names.hpp"
#include "benchmarks/collectives/sweep/options.hpp"
#include "benchmarks/collectives/sweep/shares.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/available_memory.hpp"

namespace shardstone::benchmarks {

/// One operation of a sweep.
struct OperationPlan {
    const collectives::Operation* operation = nullptr;
    std::vector<collectives::Algorithm> algorithms;
    std::vector<bool> in_place;  ///< in the order of measuring; out of place is first
};

/// Buffers per rank that iterations work through in turn.
struct Rotation {
    std::int64_t buffers = 1;  ///< 0: as many as the caches take to be swept clean
};

/// What tells one point of a sweep from all others.
struct PointName {
    std::string operation;
    std::string algorithm;
    bool in_place = true;
    std::int64_t size_bytes = 0;  ///< of the whole vector, as run

    auto operator<=>(const PointName&) const = default;
};

/// The options with their words understood.
struct SweepPlan {
    std::vector<OperationPlan> operations;
    std::vector<std::int64_t> sizes_bytes;  ///< as asked for; see counts_of()
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
    Shares shares = Shares::even;
    Rotation rotation;
    int root = 0;
    std::set<PointName> finished;  ///< points that an earlier sweep has measured: left out
};

/// Local, no communication. Throws Error naming the option, its value and what to give instead.
SweepPlan plan_sweep(const SweepOptions& options);

/// Fits the plan to the ranks at hand: takes those algorithms that "all" stood for and that cannot
/// reach all nodes, or cannot take the shares, out of it; one that was named stays, and says itself
/// why it cannot. Throws Error when there is no such root, or not the memory. Local; equal on all
/// ranks of equal machines.
void fit_plan(const SweepOptions& options, const collectives::Topology& topology, SweepPlan& plan);

/// Throws Error that begins with `option` ("-e 1T") when vectors of so many bytes on each of these
/// ranks, with what they are checked against, are more than is available, and says which limit it
/// is. Local.
void require_memory(std::string_view option, std::int64_t largest_bytes, int ranks_on_node,
                    const AvailableMemory& available = available_memory());

/// Throws AgreedError with what keeps an algorithm of the plan from running on these ranks, such as
/// that there is no GPU. Collective.
void require_possible(const SweepPlan& plan, collectives::Communicator& communicator);

/// Lengths of the whole vector, in elements, for one operation of the plan: the sizes asked for,
/// each rounded to the nearest one that divides into shares, those that become equal once.
std::vector<std::int64_t> counts_of(const SweepPlan& plan, const OperationPlan& operation,
                                    int ranks);

/// The data of one point.
collectives::CollectiveSpec spec_of(const SweepPlan& plan, const collectives::Operation& operation,
                                    std::int64_t count, int ranks);

/// Points that a sweep by this plan has.
std::size_t points_of(const SweepPlan& plan, int ranks);

}  // namespace shardstone::benchmarks
