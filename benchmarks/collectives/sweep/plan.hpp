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

/// Buffers per rank that iterations use in turn.
struct Rotation {
    std::int64_t buffers = 1;  ///< 0: as many as needed to flush the caches
};

/// Identification of a point of a sweep.
struct PointName {
    std::string operation;
    std::string algorithm;
    bool in_place = true;
    std::int64_t size_bytes = 0;  ///< of the whole vector, as run

    auto operator<=>(const PointName&) const = default;
};

/// The parsed options.
struct SweepPlan {
    std::vector<OperationPlan> operations;
    std::vector<std::int64_t> sizes_bytes;  ///< as requested; see counts_of()
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
    Shares shares = Shares::even;
    Rotation rotation;
    int root = 0;
    std::set<PointName> finished;  ///< points measured by an earlier sweep, to be skipped
};

/// Local, no communication. Throws Error naming the option, its value and valid ones.
SweepPlan plan_sweep(const SweepOptions& options);

/// Throws Error if there is no such root. Local.
void require_root(const SweepPlan& plan, int ranks);

/// Adapts the plan to the available ranks: removes algorithms selected by "all" that cannot reach
/// all nodes, or do not support the shares; one selected by name remains, and reports itself why it
/// cannot run. Throws Error if there is no such root, or not enough memory. Local; equal on all
/// ranks of equal machines.
void fit_plan(const SweepOptions& options, const collectives::Topology& topology, SweepPlan& plan);

/// Throws Error that begins with `option` ("-e 1T") and names the limit if vectors of this many
/// bytes on each of these ranks, with the data to check them and so many that are kept besides,
/// exceed the available memory. Local.
void require_memory(std::string_view option, std::int64_t largest_bytes, int ranks_on_node,
                    const AvailableMemory& available = available_memory(), int kept_vectors = 0);

/// The same of the memory of a GPU that so many ranks share.
void require_room_on_gpu(std::string_view option, std::int64_t largest_bytes, int ranks_on_gpu,
                         int kept_vectors);

/// Refuses vectors that do not fit into the memory of a GPU which so many ranks share, where GPUs
/// are measured. Local.
void require_gpu_memory(const SweepOptions& options, const SweepPlan& plan, int ranks_on_gpu);

/// Takes from the plan what cannot run on these ranks, e.g. because two would share a GPU, and says
/// so in lines "# left out: ...". Throws AgreedError with the reason if the options name such an
/// algorithm, or if none is left. Collective.
std::string leave_out_impossible(const SweepOptions& options,
                                 collectives::Communicator& communicator, SweepPlan& plan);

/// Lengths of the whole vector, in elements, for one operation of the plan: the requested sizes,
/// each rounded to the nearest one that divides into shares, without duplicates.
std::vector<std::int64_t> counts_of(const SweepPlan& plan, const OperationPlan& operation,
                                    int ranks);

/// The data of one point.
collectives::CollectiveSpec spec_of(const SweepPlan& plan, const collectives::Operation& operation,
                                    std::int64_t count, int ranks);

/// Number of points of a sweep with this plan.
std::size_t points_of(const SweepPlan& plan, int ranks);

}  // namespace shardstone::benchmarks
