// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "kernels/transformer/fp8_rows.hpp"
#include "reference/precision/fp8_scales.hpp"

namespace shardstone::reference {

/// Buffers for the two factors of a product rounded to FP8: each as large as the largest factor.
/// Non-owning; empty if nothing is rounded.
struct Fp8Buffers {
    void *left = nullptr, *right = nullptr;
};

/// Rounds the factors of one linear layer's products to FP8 and updates their amaxes; by default it
/// passes them on unchanged. Views only.
///
/// Used for the four linear layers of a block, which do most of the arithmetic. The other products
/// stay in BF16: the head's, because an error of a logit directly affects the loss and its
/// gradient; attention's own, because an error of 2^-4 in a query (e4m3) may move a score of 16 by
/// 1, and so a probability by a factor of e.
template <class Space = Host>
class Fp8Factors {
    using Queue = typename Space::Queue;

  public:
    using Product = Fp8Tensor::Product;
    using Role = Fp8Tensor::Role;

    Fp8Factors() = default;
    /// `scales` must outlive this; nullptr rounds nothing.
    Fp8Factors(Fp8Scales<Space>* scales, std::int64_t layer, Product product,
               const Fp8Buffers& buffer)
        : scales_(scales), layer_(layer), product_(product), buffers_(buffer) {}

    template <class S>
    Matrix<const S, Space> activations(Queue queue, Matrix<const S, Space> x, void* to) const {
        return rounded<fp8_e4m3>(queue, x, Role::activations, to);
    }
    template <class S>
    Matrix<const S, Space> weights(Queue queue, Matrix<const S, Space> weight, void* to) const {
        return rounded<fp8_e4m3>(queue, weight, Role::weights, to);
    }
    template <class S>
    Matrix<const S, Space> gradients(Queue queue, Matrix<const S, Space> d_out, void* to) const {
        return rounded<fp8_e5m2>(queue, d_out, Role::gradients, to);
    }
    const Fp8Buffers& buffer() const { return buffers_; }

    // Of one factor, for whoever rounds it otherwise.
    bool has_scale(Role role) const { return scales_ != nullptr && scale(role) != 0.0F; }
    float scale(Role role) const { return scales_->of({layer_, product_, role}); }
    float* amax(Role role) const { return scales_->amax({layer_, product_, role}); }
    const float* unit(Role role) const requires(std::is_same_v<Space, Cuda>) {
        return scales_->unit({layer_, product_, role});
    }

  private:
    template <class F, class S>
    Matrix<const S, Space> rounded(Queue queue, Matrix<const S, Space> factor, Role role,
                                   void* to) const {
        if constexpr (std::is_same_v<S, bf16>) {
            if (scales_ == nullptr) return factor;
            return rounded_factor<F>(queue, factor, {layer_, product_, role}, to);
        }
        return factor;
    }
    template <class F>
    Matrix<const bf16, Space> rounded_factor(Queue queue, Matrix<const bf16, Space> factor,
                                             const Fp8Tensor& tensor, void* to) const {
        const float scale = scales_->of(tensor);
        if (scale == 0.0F) {
            largest_magnitude(queue, factor, scales_->amax(tensor));
            return factor;
        }
        const auto buffer = matrix<Space>(static_cast<bf16*>(to), factor.rows, factor.columns);
        round_to_fp8<F>(queue, factor, scale, buffer, scales_->amax(tensor));
        return buffer;
    }

    Fp8Scales<Space>* scales_ = nullptr;
    std::int64_t layer_ = 0;
    Product product_ = Product::qkv;
    Fp8Buffers buffers_;
};

}  // namespace shardstone::reference
