// SPDX-License-Identifier: BSD-3-Clause
// Delayed scaling: records each FP8 tensor's amax and derives its next scale from the recent ones.
#include "reference/precision/fp8_scales.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/transformer/fp8_rows.hpp"

namespace shardstone::reference {

Fp8Scales::Fp8Scales(std::int64_t layers)
    : amaxes_(static_cast<std::size_t>(count(layers))),
      scales_(amaxes_.size()),
      histories_(amaxes_.size()) {}

/// The role varies fastest.
std::size_t Fp8Scales::place(const Fp8Tensor& tensor) {
    return (static_cast<std::size_t>(tensor.layer) * Fp8Tensor::products +
            static_cast<std::size_t>(tensor.product)) *
               Fp8Tensor::roles +
           static_cast<std::size_t>(tensor.role);
}

void Fp8Scales::see(const Fp8Tensor& tensor, float amax) {
    float& largest = amaxes_[place(tensor)];
    largest = std::max(largest, amax);
}

void Fp8Scales::begin_step() {
    std::ranges::fill(amaxes_, 0.0F);
}

void Fp8Scales::end_step() {
    for (std::size_t i = 0; i < amaxes_.size(); ++i) {
        histories_[i][next_] = std::isfinite(amaxes_[i]) ? amaxes_[i] : 0.0F;
        const float amax = *std::ranges::max_element(histories_[i]);
        const auto role = static_cast<Fp8Tensor::Role>(i % Fp8Tensor::roles);
        scales_[i] = role == Fp8Tensor::Role::gradients ? fp8_scale<fp8_e5m2>(amax)
                                                        : fp8_scale<fp8_e4m3>(amax);
    }
    next_ = (next_ + 1) % history_steps;
}

}  // namespace shardstone::reference
