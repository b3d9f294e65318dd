// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/step/batch.hpp"
#include "reference/step/parallel_plan.hpp"

namespace shardstone::reference {

/// A contiguous piece of the flat gradient buffer that is reduced in one go.
struct Bucket {
    std::int64_t first = 0;
    std::int64_t count = 0;

    std::int64_t end() const { return first + count; }
};

/// Cuts the flat buffer of `parameters` gradients into buckets of at most `size_bytes` (FP32), in
/// the order in which the backward pass finishes them (gpt.hpp). size_bytes >= 4.
std::vector<Bucket> cut_buckets(std::int64_t parameters, std::int64_t size_bytes);

/// The default bucket size: an eighth of the gradients, so that most of them can leave while the
/// pass goes on, but from 256 KiB, below which latency rules, to 25 MiB, where bandwidth is
/// reached and a larger one only waits longer.
std::int64_t default_bucket_bytes(std::int64_t parameters);

/// One thing that a rank does in a training step.
struct Action {
    enum class Kind : std::uint8_t {
        forward,        ///< micro-batch `index`: load it, run the model, add the loss
        backward,       ///< micro-batch `index`: add its gradients
        reduce_loss,    ///< begin to sum the losses over the replicas
        reduce_bucket,  ///< begin to sum bucket `index` over the replicas
        wait_loss,      ///< until the sum is there
        wait_bucket,    ///< until the sum of bucket `index` is there
        update,         ///< clip by the global norm, optimizer step
    };

    /// What must have happened: action `action` of this program, all of it or, of a backward pass,
    /// only as much that the gradients [0, gradients) are final.
    struct After {
        std::size_t action = 0;
        std::int64_t gradients = 0;
    };

    Kind kind = Kind::update;
    std::int64_t index = 0;
    std::int64_t first_sample = 0;  ///< forward: of the micro-batch, within the global batch
    /// forward, backward: factor on the sum of the micro-batch's losses. 1 / (tokens of the global
    /// batch) everywhere makes loss and gradient those of the mean over the global batch: divided
    /// exactly once, by a number that no layout changes.
    double scale = 1.0;
    std::vector<After> after;
};

/// One training step of one rank as plain data, in an order in which it can be run; an action may
/// begin earlier than its turn, as soon as what it comes `after` has happened.
struct StepProgram {
    std::vector<Bucket> buckets;
    std::vector<Action> actions;
};

/// Sequences [first, first + count) of the global batch.
struct SampleRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// The sequences that `rank` trains on: equal shares in rank order.
SampleRange samples_of(const ParallelPlan& plan, const BatchShape& batch, int rank);

/// How gradients travel.
struct ReductionShape {
    std::vector<Bucket> buckets;
    /// Begin a bucket as soon as the last backward pass has finished it; otherwise after the pass.
    bool overlap = true;
};

/// The data-parallel step over the given sequences: forward and backward of each micro-batch, every
/// bucket reduced once, the update at the end. batch.micro_batch divides samples.count.
StepProgram data_parallel_program(const BatchShape& batch, SampleRange samples,
                                  const ReductionShape& reduction);

/// The step of `rank` under a plan that fits the batch (require_divides).
StepProgram step_program(const ParallelPlan& plan, const BatchShape& batch,
                         const ReductionShape& reduction, int rank);

}  // namespace shardstone::reference
