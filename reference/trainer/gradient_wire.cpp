// SPDX-License-Identifier: BSD-3-Clause
// Gradients are rounded to the wire's type before a reduction and widened again after it.
#include "reference/trainer/gradient_wire.hpp"

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/narrow_rows.hpp"

namespace shardstone::reference {

template <class Real, class Space>
GradientWire<Real, Space>::GradientWire(Queue queue, const ParameterLayout& layout,
                                        const StepSpec& spec, const StateLayout& state)
    : queue_(queue), state_(state), wire_(wire_of_gradients(spec)) {
    if (wire_ == Storage::full) return;
    const std::int64_t each = storage_bytes(wire_, sizeof(Real));
    const auto sizes = state_.sharding().gradients ? state_.buffer_sizes()
                                                   : std::vector<std::int64_t>{layout.count()};
    for (const std::int64_t size : sizes) buffers_.emplace_back(size * each);
}

template <class Real, class Space>
std::byte* GradientWire<Real, Space>::at(std::int64_t flat) {
    const std::int64_t each = storage_bytes(wire_, sizeof(Real));
    if (!state_.sharding().gradients) return buffers_.front().data() + each * flat;
    const auto at = state_.position_of(flat);
    return buffers_[at.buffer].data() + each * at.offset;
}

template <class Real, class Space>
void GradientWire<Real, Space>::fill(std::int64_t flat, const Real* gradients, std::int64_t count) {
    with_storage<Real>(wire_, [&](auto zero) {
        using S = decltype(zero);
        narrow_rows<S>(queue_, matrix<Space>(gradients, 1, count),
                       matrix<Space>(reinterpret_cast<S*>(at(flat)), 1, count));
    });
}

template <class Real, class Space>
void GradientWire<Real, Space>::drain(std::int64_t flat, Real* gradients, std::int64_t count) {
    with_storage<Real>(wire_, [&](auto zero) {
        using S = decltype(zero);
        widen_rows<S>(queue_, matrix<Space>(reinterpret_cast<const S*>(at(flat)), 1, count),
                      matrix<Space>(gradients, 1, count));
    });
}

template <class Real, class Space>
std::int64_t GradientWire<Real, Space>::size_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& buffer : buffers_) bytes += buffer.size_bytes();
    return bytes;
}

template class GradientWire<float>;
template class GradientWire<double>;
template class GradientWire<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class GradientWire<float, Cuda>;
#endif

}  // namespace shardstone::reference
