// SPDX-License-Identifier: BSD-3-Clause
// Memory of a rank's weights, gradients and sums under each ZeRO stage, and work around transfers.
#include "reference/trainer/parameter_memory.hpp"

#include <numeric>

#include "kernels/base/convert.hpp"
#include "kernels/base/error.hpp"
#include "kernels/optimizer/exact_gradients.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/narrow_rows.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = GroupTransfer::CollectiveKind;
using What = GroupTransfer::What;

template <class T, class Space>
std::vector<Buffer<T, Space>> buffers_of(const std::vector<std::int64_t>& sizes,
                                         std::int64_t each = 1) {
    std::vector<Buffer<T, Space>> buffers;
    for (const std::int64_t size : sizes) buffers.emplace_back(size * each);
    return buffers;
}

template <class T, class Space>
std::int64_t bytes_of(const std::vector<Buffer<T, Space>>& buffers) {
    return std::accumulate(
        buffers.begin(), buffers.end(), std::int64_t{0},
        [](std::int64_t sum, const Buffer<T, Space>& buffer) { return sum + buffer.size_bytes(); });
}

static_assert(sizeof(ExactPair) == 2 * sizeof(double), "sums travel as pairs of FP64");

}  // namespace

template <class Real, class Space>
ParameterMemory<Real, Space>::ParameterMemory(Queue queue, const ParameterLayout& layout,
                                              const StepSpec& spec, const Coordinates& at)
    : queue_(queue),
      spec_(spec),
      layout_(layout),
      state_(spec, layout, at),
      owned_(state_.owned()),
      stored_bytes_(storage_bytes(spec.precision.storage, sizeof(Real))),
      weights_(stored_bytes_ * (shards_weights() ? owned_.count() : layout.count())),
      gradients_(shards_gradients() ? owned_.count() : layout.count()),
      wire_(queue, layout, spec, state_) {
    if (spec.reproducible) sums_ = Sums(gradients_.size());
    make_group_buffers();
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::make_group_buffers() {
    const auto sizes = state_.buffer_sizes();
    if (shards_weights()) weight_buffers_ = buffers_of<std::byte, Space>(sizes, stored_bytes_);
    if (shards_gradients()) gradient_buffers_ = buffers_of<Real, Space>(sizes);
    if (shards_gradients() && spec_.reproducible)
        sum_buffers_ = buffers_of<ExactPair, Space>(sizes);
    weight_buffers_bytes_ = bytes_of(weight_buffers_);
    gradient_buffers_bytes_ = bytes_of(gradient_buffers_);
}

template <class Real, class Space>
std::byte* ParameterMemory<Real, Space>::working_weight(std::int64_t flat) {
    if (!shards_weights()) return held_weight(flat);
    const auto at = state_.position_of(flat);
    return weight_buffers_[at.buffer].data() + stored_bytes_ * at.offset;
}

template <class Real, class Space>
std::byte* ParameterMemory<Real, Space>::held_weight(std::int64_t flat) {
    return weights_.data() + stored_bytes_ * (shards_weights() ? owned_.place(flat) : flat);
}

template <class Real, class Space>
Real* ParameterMemory<Real, Space>::working_gradient(std::int64_t flat) {
    if (!shards_gradients()) return gradients_.data() + flat;
    const auto at = state_.position_of(flat);
    return gradient_buffers_[at.buffer].data() + at.offset;
}

template <class Real, class Space>
ExactPair* ParameterMemory<Real, Space>::working_sum(std::int64_t flat) {
    if (!shards_gradients()) return sums_.data() + flat;
    const auto at = state_.position_of(flat);
    return sum_buffers_[at.buffer].data() + at.offset;
}

template <class Real, class Space>
std::vector<GroupMemory<Real>> ParameterMemory<Real, Space>::group_memory() {
    std::vector<GroupMemory<Real>> memory;
    for (const ParameterGroup& group : layout_.groups()) {
        memory.push_back({working_weight(group.first), working_gradient(group.first)});
    }
    return memory;
}

template <class Real, class Space>
std::vector<Range> ParameterMemory<Real, Space>::held_weights() const {
    if (shards_weights()) return owned_.ranges();
    return {{0, layout_.count()}};
}

template <class Real, class Space>
auto ParameterMemory<Real, Space>::weights(const Range& held) -> Span<Real> {
    SHARDSTONE_EXPECTS(spec_.precision.storage == Storage::full);
    return stored_weights<Real>(held);
}

template <class Real, class Space>
std::vector<Real> ParameterMemory<Real, Space>::copy_of_weights(const Range& held) {
    std::vector<Real> values(static_cast<std::size_t>(held.count));
    with_storage<Real>(spec_.precision.storage, [&](auto zero) {
        using S = decltype(zero);
        const auto stored = read_array<S>(queue_, stored_weights<S>(held).data(), held.count);
        widen(stored.data(), values.data(), held.count);
    });
    return values;
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::widen_weights(const Range& held, Real* to) {
    with_storage<Real>(spec_.precision.storage, [&](auto zero) {
        using S = decltype(zero);
        widen_rows<S>(queue_, matrix<Space>(stored_weights<S>(held).data(), 1, held.count),
                      matrix<Space>(to, 1, held.count));
    });
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::store_weights(const Range& held, const Real* values) {
    with_storage<Real>(spec_.precision.storage, [&](auto zero) {
        using S = decltype(zero);
        narrow_rows<S>(queue_, matrix<Space>(values, 1, held.count),
                       matrix<Space>(stored_weights<S>(held).data(), 1, held.count));
    });
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::write_weights(const Range& held,
                                                 const std::vector<Real>& values) {
    with_storage<Real>(spec_.precision.storage, [&](auto zero) {
        using S = decltype(zero);
        std::vector<S> rounded(values.size());
        narrow(values.data(), rounded.data(), held.count);
        write_array<S>(queue_, rounded.data(), stored_weights<S>(held).data(), held.count);
    });
}

template <class Real, class Space>
auto ParameterMemory<Real, Space>::gradients(const Range& owned) -> Span<Real> {
    Real* first =
        gradients_.data() + (shards_gradients() ? owned_.place(owned.first) : owned.first);
    return {first, static_cast<std::size_t>(owned.count)};
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::begin_step() {
    clear_array(queue_, gradients_.data(), gradients_.size());
    clear_array(queue_, sums_.data(), sums_.size());
    clear_array(queue_, lost_.data(), 1);
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::add_exactly(const std::vector<std::size_t>& groups,
                                               double limit) {
    if (!spec_.reproducible) return;
    for (const std::size_t g : groups) {
        const ParameterGroup& group = layout_.groups()[g];
        const auto count = static_cast<std::size_t>(group.count);
        // The next pass starts from zero.
        move_to_exact_sums(queue_, Span<Real>(working_gradient(group.first), count), limit,
                           Span<ExactPair>(working_sum(group.first), count), *lost_.data());
    }
}

template <class Real, class Space>
void* ParameterMemory<Real, Space>::data_of(const GroupTransfer& transfer) {
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

template <class Real, class Space>
bool ParameterMemory<Real, Space>::is_narrowed(const GroupTransfer& transfer) const {
    return transfer.what == What::gradients && is_of_replicas(transfer.group) &&
           wire_.size_bytes() > 0;
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::before(const GroupTransfer& transfer) {
    const auto [first, count] = transfer.range;
    if (is_narrowed(transfer)) wire_.fill(first, working_gradient(first), count);
    if (transfer.what != What::weights || !shards_weights()) return;
    const Range share = state_.share_of(transfer.range);
    if (share.count > 0) {
        copy_array(queue_, held_weight(share.first), working_weight(share.first),
                   stored_bytes_ * share.count);
    }
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::after(const GroupTransfer& transfer) {
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

template <class Real, class Space>
void ParameterMemory<Real, Space>::keep_share(const Range& share) {
    if (share.count == 0) return;
    const std::int64_t at = owned_.place(share.first);
    if (spec_.reproducible) {
        const auto count = static_cast<std::size_t>(share.count);
        add_exact_sums(queue_, Span<const ExactPair>(working_sum(share.first), count),
                       Span<ExactPair>(sums_.data() + at, count));
    } else {
        add_array(queue_, working_gradient(share.first), gradients_.data() + at, share.count);
    }
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::clear(const Range& range) {
    if (spec_.reproducible) {
        clear_array(queue_, working_sum(range.first), range.count);
    } else {
        clear_array(queue_, working_gradient(range.first), range.count);
    }
}

template <class Real, class Space>
void ParameterMemory<Real, Space>::round(double loss_scale) {
    if (spec_.reproducible) {
        round_exact_sums(queue_, Span<const ExactPair>(sums_.span()), gradients_.span());
    }
    if (loss_scale == 1.0) return;
    const auto factor = static_cast<Real>(1.0 / loss_scale);  // a power of two
    scale_array(queue_, factor, gradients_.data(), gradients_.size());
}

template <class Real, class Space>
std::int64_t ParameterMemory<Real, Space>::sums_bytes() const {
    return sums_.size_bytes() + bytes_of(sum_buffers_);
}

template class ParameterMemory<float>;
template class ParameterMemory<double>;
template class ParameterMemory<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class ParameterMemory<float, Cuda>;
#endif

}  // namespace shardstone::reference
