// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "reference/step/parallel_plan.hpp"

namespace shardstone::reference {

/// Sequences per optimizer step, and sequences that pass through the model at a time.
struct BatchShape {
    std::int64_t global_batch = 16;  ///< sequences per step over all replicas
    std::int64_t micro_batch = 1;    ///< B: sequences per forward and backward pass
    std::int64_t sequence = 128;     ///< T: positions per sequence
    /// Sequences have lengths drawn evenly from [shortest, sequence] and are padded, without
    /// targets, to T; 0: all are full.
    std::int64_t shortest = 0;

    std::int64_t micro_tokens() const { return micro_batch * sequence; }
    std::int64_t global_tokens() const { return global_batch * sequence; }
    std::int64_t global_micro_batches() const { return global_batch / micro_batch; }
};

/// Throws Error naming the sizes, and the nearest valid ones, unless every replica of the plan gets
/// the same whole number of whole micro-batches.
void require_divides(const BatchShape& batch, const ParallelPlan& plan);

}  // namespace shardstone::reference
