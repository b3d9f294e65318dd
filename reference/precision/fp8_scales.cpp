// SPDX-License-Identifier: BSD-3-Clause
// Delayed scaling: records each FP8 tensor's amax and derives its next scale from the recent ones.
#include "reference/precision/fp8_scales.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/fp8_rows.hpp"

namespace shardstone::reference {

template <class Space>
Fp8Scales<Space>::Fp8Scales(std::int64_t layers)
    : amaxes_(Fp8Tensor::count(layers)),
      units_(std::is_same_v<Space, Cuda> ? amaxes_.size() : 0),
      scales_(static_cast<std::size_t>(amaxes_.size())),
      histories_(scales_.size()) {}

/// The role varies fastest.
template <class Space>
std::size_t Fp8Scales<Space>::place(const Fp8Tensor& tensor) {
    return (static_cast<std::size_t>(tensor.layer) * Fp8Tensor::products +
            static_cast<std::size_t>(tensor.product)) *
               Fp8Tensor::roles +
           static_cast<std::size_t>(tensor.role);
}

template <class Space>
bool Fp8Scales<Space>::complete() const {
    return std::ranges::none_of(scales_, [](float scale) { return scale == 0.0F; });
}

template <class Space>
void Fp8Scales<Space>::begin_step(Queue queue) {
    clear_array(queue, amaxes_.data(), amaxes_.size());
}

template <class Space>
void Fp8Scales<Space>::end_step(Queue queue) {
    const std::vector<float> amaxes = read_array(queue, amaxes_.data(), amaxes_.size());
    for (std::size_t i = 0; i < amaxes.size(); ++i) {
        histories_[i][next_] = std::isfinite(amaxes[i]) ? amaxes[i] : 0.0F;
        const float amax = *std::ranges::max_element(histories_[i]);
        const auto role = static_cast<Fp8Tensor::Role>(i % Fp8Tensor::roles);
        scales_[i] = role == Fp8Tensor::Role::gradients ? fp8_scale<fp8_e5m2>(amax)
                                                        : fp8_scale<fp8_e4m3>(amax);
    }
    next_ = (next_ + 1) % history_steps;
    if constexpr (std::is_same_v<Space, Cuda>) {
        std::vector<float> units;
        for (const float scale : scales_) units.push_back(scale == 0.0F ? 1.0F : 1.0F / scale);
        write_array(queue, units.data(), units_.data(), units_.size());
    }
}

template class Fp8Scales<Host>;
template class Fp8Scales<Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Fp8Scales<Cuda>;
#endif

}  // namespace shardstone::reference
