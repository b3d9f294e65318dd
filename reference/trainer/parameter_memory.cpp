// SPDX-License-Identifier: BSD-3-Clause
// Where a rank's weights, gradients and sums lie under each ZeRO stage, before and after transfers.
#include "reference/trainer/parameter_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/convert.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = GroupTransfer::CollectiveKind;
using What = GroupTransfer::What;

template <class T>
std::vector<Buffer<T>> buffers_of(const std::vector<std::int64_t>& sizes, std::int64_t each = 1) {
    std::vector<Buffer<T>> buffers;
    for (const std::int64_t size : sizes) buffers.emplace_back(size * each);
    return buffers;
}

template <class T>
std::int64_t bytes_of(const std::vector<Buffer<T>>& buffers) {
    return std::accumulate(
        buffers.begin(), buffers.end(), std::int64_t{0},
        [](std::int64_t sum, const Buffer<T>& buffer) { return sum + buffer.size_bytes(); });
}

/// Clears the terms that are beyond the limit or not a number; whether there were any.
template <class Real>
bool drop_beyond(double limit, std::span<Real> terms) {
    bool any = false;
    for (Real& term : terms) {
        if (std::abs(static_cast<double>(term)) <= limit) continue;
        term = Real(0);
        any = true;
    }
    return any;
}

static_assert(sizeof(ExactPair) == 2 * sizeof(double), "sums travel as pairs of FP64");

}  // namespace

template <class Real>
ParameterMemory<Real>::ParameterMemory(const ParameterLayout& layout, const StepSpec& spec,
                                       const Coordinates& at)
    : spec_(spec),
      layout_(layout),
      state_(spec, layout, at),
      owned_(state_.owned()),
      stored_bytes_(storage_bytes(spec.precision.storage, sizeof(Real))),
      weights_(stored_bytes_ * (shards_weights() ? owned_.count() : layout.count())),
      gradients_(shards_gradients() ? owned_.count() : layout.count()),
      wire_(layout, spec, state_) {
    if (spec.reproducible) sums_ = Sums(gradients_.size());
    make_group_buffers();
}

template <class Real>
void ParameterMemory<Real>::make_group_buffers() {
    const auto sizes = state_.buffer_sizes();
    if (shards_weights()) weight_buffers_ = buffers_of<std::byte>(sizes, stored_bytes_);
    if (shards_gradients()) gradient_buffers_ = buffers_of<Real>(sizes);
    if (shards_gradients() && spec_.reproducible) sum_buffers_ = buffers_of<ExactPair>(sizes);
    weight_buffers_bytes_ = bytes_of(weight_buffers_);
    gradient_buffers_bytes_ = bytes_of(gradient_buffers_);
}

template <class Real>
std::byte* ParameterMemory<Real>::working_weight(std::int64_t flat) {
    if (!shards_weights()) return held_weight(flat);
    const auto at = state_.position_of(flat);
    return weight_buffers_[at.buffer].data() + stored_bytes_ * at.offset;
}

template <class Real>
std::byte* ParameterMemory<Real>::held_weight(std::int64_t flat) {
    return weights_.data() + stored_bytes_ * (shards_weights() ? owned_.place(flat) : flat);
}

template <class Real>
Real* ParameterMemory<Real>::working_gradient(std::int64_t flat) {
    if (!shards_gradients()) return gradients_.data() + flat;
    const auto at = state_.position_of(flat);
    return gradient_buffers_[at.buffer].data() + at.offset;
}

template <class Real>
ExactPair* ParameterMemory<Real>::working_sum(std::int64_t flat) {
    if (!shards_gradients()) return sums_.data() + flat;
    const auto at = state_.position_of(flat);
    return sum_buffers_[at.buffer].data() + at.offset;
}

template <class Real>
std::vector<GroupMemory<Real>> ParameterMemory<Real>::group_memory() {
    std::vector<GroupMemory<Real>> memory;
    for (const ParameterGroup& group : layout_.groups()) {
        memory.push_back({working_weight(group.first), working_gradient(group.first)});
    }
    return memory;
}

template <class Real>
std::vector<Range> ParameterMemory<Real>::held_weights() const {
    if (shards_weights()) return owned_.ranges();
    return {{0, layout_.count()}};
}

template <class Real>
std::span<Real> ParameterMemory<Real>::weights(const Range& held) {
    SHARDSTONE_EXPECTS(spec_.precision.storage == Storage::full);
    return stored_weights<Real>(held);
}

template <class Real>
std::vector<Real> ParameterMemory<Real>::copy_of_weights(const Range& held) {
    std::vector<Real> values(static_cast<std::size_t>(held.count));
    with_storage<Real>(spec_.precision.storage, [&](auto zero) {
        widen(stored_weights<decltype(zero)>(held).data(), values.data(), held.count);
    });
    return values;
}

template <class Real>
void ParameterMemory<Real>::store_weights(const Range& held, std::span<const Real> values) {
    SHARDSTONE_EXPECTS(std::ssize(values) == held.count);
    with_storage<Real>(spec_.precision.storage, [&](auto zero) {
        narrow(values.data(), stored_weights<decltype(zero)>(held).data(), held.count);
    });
}

template <class Real>
std::span<Real> ParameterMemory<Real>::gradients(const Range& owned) {
    Real* first =
        gradients_.data() + (shards_gradients() ? owned_.place(owned.first) : owned.first);
    return {first, static_cast<std::size_t>(owned.count)};
}

template <class Real>
void ParameterMemory<Real>::begin_step() {
    std::ranges::fill(gradients_.span(), Real(0));
    std::ranges::fill(sums_.span(), ExactPair{});
    overflowed_ = false;
}

template <class Real>
void ParameterMemory<Real>::add_exactly(const std::vector<std::size_t>& groups, double limit) {
    if (!spec_.reproducible) return;
    for (const std::size_t g : groups) {
        const ParameterGroup& group = layout_.groups()[g];
        const auto count = static_cast<std::size_t>(group.count);
        const std::span<Real> terms(working_gradient(group.first), count);
        if (drop_beyond(limit, terms)) overflowed_ = true;
        shardstone::add_exactly(std::span<const Real>(terms), limit,
                                std::span(working_sum(group.first), count));
        std::ranges::fill(terms, Real(0));  // the next pass starts from nothing
    }
}

template <class Real>
void* ParameterMemory<Real>::data_of(const GroupTransfer& transfer) {
    const std::int64_t first = transfer.range.first;
    if (transfer.what == What::weights) return working_weight(first);
    if (transfer.group == GroupKind::tied && shards_gradients()) {
        const std::int64_t at = owned_.place(first);
        if (spec_.reproducible) return sums_.data() + at;
        return gradients_.data() + at;
    }
    if (spec_.reproducible) return working_sum(first);
    if (is_narrowed(transfer)) return wire_.at(first);
    return working_gradient(first);
}

template <class Real>
bool ParameterMemory<Real>::is_narrowed(const GroupTransfer& transfer) const {
    return transfer.what == What::gradients && is_of_replicas(transfer.group) &&
           wire_.size_bytes() > 0;
}

template <class Real>
void ParameterMemory<Real>::before(const GroupTransfer& transfer) {
    const auto [first, count] = transfer.range;
    if (is_narrowed(transfer)) wire_.fill(first, working_gradient(first), count);
    if (transfer.what != What::weights || !shards_weights()) return;
    const Range share = state_.share_of(transfer.range);
    if (share.count > 0) {
        std::copy_n(held_weight(share.first), stored_bytes_ * share.count,
                    working_weight(share.first));
    }
}

template <class Real>
void ParameterMemory<Real>::after(const GroupTransfer& transfer) {
    if (is_narrowed(transfer)) {
        const Range summed = transfer.operation == CollectiveKind::all_reduce
                                 ? transfer.range
                                 : state_.share_of(transfer.range);
        wire_.drain(summed.first, working_gradient(summed.first), summed.count);
    }
    const bool leaves = transfer.operation == CollectiveKind::reduce_scatter && shards_gradients();
    if (!leaves) return;
    keep_share(state_.share_of(transfer.range));
    clear(transfer.range);
}

template <class Real>
void ParameterMemory<Real>::keep_share(const Range& share) {
    if (share.count == 0) return;
    const std::int64_t at = owned_.place(share.first);
    for (std::int64_t i = 0; i < share.count; ++i) {
        if (spec_.reproducible) {
            sums_.data()[at + i].high += working_sum(share.first)[i].high;
            sums_.data()[at + i].low += working_sum(share.first)[i].low;
        } else {
            gradients_.data()[at + i] += working_gradient(share.first)[i];
        }
    }
}

template <class Real>
void ParameterMemory<Real>::clear(const Range& range) {
    const auto count = static_cast<std::size_t>(range.count);
    if (spec_.reproducible) {
        std::fill_n(working_sum(range.first), count, ExactPair{});
    } else {
        std::fill_n(working_gradient(range.first), count, Real(0));
    }
}

template <class Real>
void ParameterMemory<Real>::round(double loss_scale) {
    if (spec_.reproducible) {
        round_sums(std::span<const ExactPair>(sums_.span()), gradients_.span());
    }
    if (loss_scale == 1.0) return;
    const auto factor = static_cast<Real>(1.0 / loss_scale);  // a power of two
    for (Real& gradient : gradients_.span()) gradient *= factor;
}

template <class Real>
std::int64_t ParameterMemory<Real>::sums_bytes() const {
    return sums_.size_bytes() + bytes_of(sum_buffers_);
}

template class ParameterMemory<float>;
template class ParameterMemory<double>;

}  // namespace shardstone::reference
