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

/// The rank that needs most memory, with the classes of that memory. Among the ranks of a stage it
/// is the first, whose shares are the largest.
struct LargestRank {
    int rank = 0;
    std::vector<PredictedClass> classes;

    std::int64_t bytes() const { return total_bytes(classes); }
};
LargestRank largest_rank(const StepSpec& spec, const MemoryOptions& options);

/// The nearest valid plan for the same number of ranks that needs at most `limit_bytes` on each:
/// fewest of dp, tp, pp, zero, sp and recompute differ from the spec's, then by fewest steps (a
/// factor of two, a ZeRO stage, a kind of recomputation), then the least recomputation, then the
/// least memory. With another number of stages, layers are distributed as evenly as possible. Empty
/// if none fits.
std::optional<StepSpec> nearest_fit(const StepSpec& spec, const MemoryOptions& options,
                                    std::int64_t limit_bytes);

/// The same plan with the largest smaller micro-batch that needs at most this much on each rank.
/// Empty if none does.
std::optional<StepSpec> smaller_micro_batch(const StepSpec& spec, const MemoryOptions& options,
                                            std::int64_t limit_bytes);

/// What a rank takes besides its tensors once it trains: buffers of OpenBLAS and MPI, code that
/// oneDNN generates, records. 25 to 30 MiB in FP32 and BF16, for models of 37 thousand to 11
/// million parameters (MPICH 4.0.2, November 2026). Most of its addresses are mapped from the
/// start.
inline constexpr std::int64_t memory_besides_tensors_bytes = std::int64_t{32} << 20;

/// Throws Error for a valid spec whose `ranks` (those of one node) together need more than the node
/// has available, what is besides tensors included, or one of whose tensors need more addresses
/// than a process may use, with the amount, the limit and the nearest fit.
void require_fits_node(const StepSpec& spec, const MemoryOptions& options,
                       std::span<const int> ranks, const AvailableMemory& available);

/// The memory of a rank's GPU, by whomever the rest is taken.
struct GpuRoom {
    std::string gpu;  ///< its name
    std::int64_t free_bytes = 0, total_bytes = 0;
};

/// Throws Error for a valid spec whose tensors on `rank` alone need more than is free on the rank's
/// GPU, with the amount, its largest classes and the nearest fit. What passes may still not fit:
/// scratch memory of kernels and what libraries take are not predicted.
void require_fits_gpu(const StepSpec& spec, const MemoryOptions& options, int rank,
                      const GpuRoom& room);

/// Throws Error for a valid spec that needs more than `limit_bytes` on a rank, with the amount, its
/// largest class and nearest_fit().
void require_fits_memory(const StepSpec& spec, const MemoryOptions& options,
                         std::int64_t limit_bytes);

}  // namespace shardstone::reference
