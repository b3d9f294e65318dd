// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/base/exact_sum.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/model/gpt_part.hpp"
#include "reference/step/state_layout.hpp"
#include "reference/trainer/gradient_wire.hpp"
#include "reference/trainer/owned_ranges.hpp"

namespace shardstone::reference {

/// Weights, gradients and, in reproducible mode, exact sums of one rank: all of its part of the
/// model, or the rank's own shard with buffers for groups that are gathered and released
/// (StateLayout).
///
///   shared out     nothing             gradients                gradients and weights
///   weights        all                 all                      owned + buffers
///   gradients      all                 owned + buffers           owned + buffers
///   exact sums     all                 owned + buffers           owned + buffers
///
/// Weights are in the storage type of the precision, here and when they are sent; gradients in
/// Real. Kernels add to the gradients of a group's memory. In plain mode these are the sums; in
/// reproducible mode add_exactly() moves them into the exact sums after each unit's pass. All of it
/// is in one memory space; operations on it are enqueued in the queue.
template <class Real, class Space = Host>
class ParameterMemory {
    using Queue = typename Space::Queue;
    template <class T>
    using Span = typename Space::template Span<T>;

  public:
    ParameterMemory(Queue queue, const ParameterLayout& layout, const StepSpec& spec,
                    const Coordinates& at);

    /// Memory for the model, per group of the layout.
    std::vector<GroupMemory<Real>> group_memory();
    /// The ranges that this rank updates, and whose optimizer state it keeps.
    const OwnedRanges& owned() const noexcept { return owned_; }
    /// The weights that this rank holds at all times: all of its part, or its own shard.
    std::vector<Range> held_weights() const;
    /// For a range within one of those: the weights themselves, if they are stored in Real ...
    Span<Real> weights(const Range& held);
    /// ... a widened copy of them for the program, ...
    std::vector<Real> copy_of_weights(const Range& held);
    /// ... widened to `to` and rounded from `values`, of the length of the range.
    void widen_weights(const Range& held, Real* to);
    void store_weights(const Range& held, const Real* values);
    /// Rounds and stores values of the program.
    void write_weights(const Range& held, const std::vector<Real>& values);
    /// The weights stored as S.
    template <class S>
    Span<S> stored_weights(const Range& held) {
        return {reinterpret_cast<S*>(held_weight(held.first)),
                static_cast<std::size_t>(held.count)};
    }
    /// Gradients of an owned range within one bucket; after round() the sums over all micro-batches
    /// and ranks.
    Span<Real> gradients(const Range& owned);

    /// Clears the sums.
    void begin_step();
    /// Reproducible mode: adds the gradients of these groups to their exact sums and clears them.
    /// Otherwise without effect. If a gradient exceeds `limit` (exact_term_limit()) or is a NaN,
    /// the step has overflowed.
    void add_exactly(const std::vector<std::size_t>& groups, double limit);
    /// Location of the data of a transfer, and the operations needed before it starts and after it
    /// has completed. The range lies in one group.
    void* data_of(const GroupTransfer& transfer);
    void before(const GroupTransfer& transfer);
    void after(const GroupTransfer& transfer);
    /// To be called after all reductions: turns exact sums into gradients, and divides them by the
    /// loss scale.
    void round(double loss_scale);
    /// Number of this rank's terms missing from the exact sums of this step because they were out
    /// of range: (1), in the memory space.
    const std::int64_t* lost_terms() const noexcept { return lost_.data(); }

    /// Allocated memory in bytes.
    std::int64_t weights_bytes() const { return weights_.size_bytes() + weight_buffers_bytes_; }
    std::int64_t gradients_bytes() const {
        return gradients_.size_bytes() + gradient_buffers_bytes_;
    }
    std::int64_t sums_bytes() const;
    std::int64_t wire_bytes() const { return wire_.size_bytes(); }

  private:
    using Sums = Buffer<ExactPair, Space>;
    template <class T>
    using Buffers = std::vector<Buffer<T, Space>>;

    bool shards_weights() const { return state_.sharding().weights; }
    bool shards_gradients() const { return state_.sharding().gradients; }
    bool is_narrowed(const GroupTransfer& transfer) const;
    /// Location of element `flat` where kernels read weights and add gradients, and where sums are
    /// computed.
    std::byte* working_weight(std::int64_t flat);
    Real* working_gradient(std::int64_t flat);
    ExactPair* working_sum(std::int64_t flat);
    std::byte* held_weight(std::int64_t flat);
    void make_group_buffers();
    void keep_share(const Range& share);
    void clear(const Range& range);

    Queue queue_;
    StepSpec spec_;
    ParameterLayout layout_;
    StateLayout state_;
    OwnedRanges owned_;
    std::int64_t stored_bytes_;         ///< of one weight
    Buffer<std::byte, Space> weights_;  ///< this and the next: all, or compact by owned_
    Buffer<Real, Space> gradients_;
    GradientWire<Real, Space> wire_;
    Sums sums_;
    Buffers<std::byte> weight_buffers_;
    Buffers<Real> gradient_buffers_;
    Buffers<ExactPair> sum_buffers_;
    Buffer<std::int64_t, Space> lost_{1};
    std::int64_t weight_buffers_bytes_ = 0;
    std::int64_t gradient_buffers_bytes_ = 0;
};

extern template class ParameterMemory<float>;
extern template class ParameterMemory<double>;

}  // namespace shardstone::reference
