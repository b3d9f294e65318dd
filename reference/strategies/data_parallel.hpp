// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/executors/collective.hpp"
#include "reference/step/step_program.hpp"
#include "reference/strategies/exact_sum.hpp"

namespace shardstone::reference {

/// Data parallelism: every rank holds the whole model and trains on its share of the global batch.
///
/// What is split:  the sequences of the global batch.
/// What is sent:   the gradients, summed over ranks, in buckets; one loss.
/// When and why:   once per step, a bucket as soon as the last backward pass has finished it, so
///                 that most of the transfer hides behind the rest of the pass.
/// What it costs:  one all-reduce of the parameters per step (the bytes: scheduled_bytes),
///                 no memory but, where reproducible, 16 bytes per parameter for exact sums.
///
/// Plain mode sums FP32 gradients in place. In reproducible mode each micro-batch's gradients are
/// added to exact sums (exact_sum.hpp) as soon as they are final, and those are reduced in FP64.
/// Losses always go through an exact sum. All members are called in the same order on all ranks;
/// only wait_* wait, and they yield.
class DataParallel {
  public:
    struct Options {
        std::string all_reduce = "ring";  ///< a name of collectives::algorithms_for("all_reduce")
        bool reproducible = false;
        std::int64_t terms = 1;  ///< most micro-batches, over all ranks, in one sum
    };

    /// `gradients` is the model's flat buffer; buckets lie in it. Both communicator and buffer must
    /// outlive this. Collective. Throws Error for an unknown algorithm or too many micro-batches.
    DataParallel(collectives::Communicator& communicator, const Options& options,
                 std::vector<Bucket> buckets, std::span<float> gradients);

    /// Clears gradients and sums.
    void begin_step();
    /// Clears the loss alone.
    void begin_loss() { loss_ = {}; }
    /// The gradients [0, n) of the running micro-batch are final; n grows, and is everything at the
    /// end of the backward pass.
    void gradients_final(std::int64_t n);
    void add_loss(double loss) { add_exactly(loss, term_limit_, loss_); }

    void start_bucket(std::int64_t index);
    void start_loss();
    /// The sum of the losses of all ranks.
    double wait_loss();
    /// Moves along what is in flight, without waiting.
    void progress();
    /// Until the sum of the bucket is in the gradients; moves along all others meanwhile.
    void wait_bucket(std::int64_t index);
    /// Called with the index of a bucket as soon as its sum is seen to have arrived.
    void on_arrival(std::function<void(std::int64_t)> arrived) { arrived_ = std::move(arrived); }

    /// Whether the all-reduce has a schedule; the two counts below are 0 when it has none.
    bool bytes_visible() const noexcept { return bytes_visible_; }
    /// Bytes this rank has handed to MPI so far.
    std::int64_t bytes_sent() const;
    /// Bytes that the schedules make this rank send in so many steps and evaluations.
    std::int64_t scheduled_bytes(std::int64_t steps, std::int64_t evaluations) const noexcept {
        return steps * (bucket_bytes_ + loss_bytes_) + evaluations * loss_bytes_;
    }
    /// Memory of the exact sums; 0 in plain mode.
    std::int64_t sums_bytes() const;

  private:
    void finish_bucket(const Bucket& bucket);
    void* buffer_of(const Bucket& bucket);

    std::vector<Bucket> buckets_;
    std::span<float> gradients_;
    std::vector<ExactPair> sums_;  ///< one per gradient in reproducible mode, else empty
    std::int64_t summed_ = 0;      ///< gradients of the running micro-batch already in sums_
    double term_limit_;
    ExactPair loss_;
    std::vector<collectives::AllReduce> reductions_;
    std::vector<bool> in_flight_;
    std::function<void(std::int64_t)> arrived_ = [](std::int64_t) {};
    collectives::AllReduce loss_reduction_;
    bool loss_in_flight_ = false;
    bool bytes_visible_ = false;
    std::int64_t bucket_bytes_ = 0;  ///< scheduled for all buckets of a step
    std::int64_t loss_bytes_ = 0;    ///< scheduled for one loss
};

}  // namespace shardstone::reference
