// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/available_memory.hpp"
#include "reference/step/memory_model.hpp"

namespace shardstone::reference {

/// The rank that needs most, and what for. Among the ranks of a stage it is the first, whose shares
/// are the largest.
struct LargestRank {
    int rank = 0;
    std::vector<PredictedClass> classes;

    std::int64_t bytes() const { return total_bytes(classes); }
};
LargestRank largest_rank(const StepSpec& spec, const MemoryOptions& options);

/// The valid plan for as many ranks that needs at most `limit_bytes` on each and is nearest: fewest
/// of dp, tp, pp, zero, sp and recompute differ from the spec's, then by fewest steps (a factor of
/// two, a ZeRO stage, a kind of recomputation), then the least recomputation, then the least
/// memory. Layers go as evenly as they can over another number of stages. Nothing: none fits.
std::optional<StepSpec> nearest_fit(const StepSpec& spec, const MemoryOptions& options,
                                    std::int64_t limit_bytes);

/// The same with the largest smaller micro-batch that needs at most so much on each rank. Nothing:
/// none does.
std::optional<StepSpec> smaller_micro_batch(const StepSpec& spec, const MemoryOptions& options,
                                            std::int64_t limit_bytes);

/// Throws Error for a valid spec whose `ranks` (those of one node) together need more than the node
/// has available, or one of which needs more than a process may take: how much, which limit it is,
/// and what would fit.
void require_fits_node(const StepSpec& spec, const MemoryOptions& options,
                       std::span<const int> ranks, const AvailableMemory& available);

/// Throws Error for a valid spec that needs more than `limit_bytes` on a rank: how much, what most
/// of it is for, and nearest_fit().
void require_fits_memory(const StepSpec& spec, const MemoryOptions& options,
                         std::int64_t limit_bytes);

}  // namespace shardstone::reference
