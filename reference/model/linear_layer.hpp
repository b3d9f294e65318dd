// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/fp8_rows.hpp"
#include "kernels/transformer/linear.hpp"
#include "reference/model/parameter_views.hpp"
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

/// A linear layer bound to its parameters (kernels/transformer/linear.hpp), whose products are
/// enqueued in the queue. Views only.
template <class S, class Space = Host>
class LinearLayer {
  public:
    LinearLayer(typename Space::Queue queue, const LinearView<S, Space>& linear,
                const Fp8Factors<Space>& factors = {})
        : queue_(queue), linear_(linear), factors_(factors) {}

    const S* bias() const { return linear_.bias; }

    /// out = x W^T + bias.
    template <class Out>
    void forward(Matrix<const S, Space> x, const S* bias, Matrix<Out, Space> out) const {
        const Fp8Buffers& buffer = factors_.buffer();
        linear_forward<S>(queue_, factors_.activations(queue_, x, buffer.left),
                          factors_.weights(queue_, weight(), buffer.right), bias, out);
    }
    /// d_x = d_out W.
    template <class Out>
    void backward_input(Matrix<const S, Space> d_out, Matrix<Out, Space> d_x) const {
        const Fp8Buffers& buffer = factors_.buffer();
        linear_backward_input<S>(queue_, factors_.gradients(queue_, d_out, buffer.left),
                                 factors_.weights(queue_, weight(), buffer.right), d_x);
    }
    /// d_weight += d_out^T x.
    void backward_weight(Matrix<const S, Space> d_out, Matrix<const S, Space> x) const {
        const Fp8Buffers& buffer = factors_.buffer();
        linear_backward_parameters<S>(queue_, factors_.gradients(queue_, d_out, buffer.left),
                                      factors_.activations(queue_, x, buffer.right),
                                      linear_.d_weight, nullptr);
    }
    /// d_bias += column sums of d_out, which is not a product and therefore not rounded. No effect
    /// without bias.
    void backward_bias(Matrix<const S, Space> d_out) const {
        if (linear_.d_bias != nullptr) bias_backward<S>(queue_, d_out, linear_.d_bias);
    }

  private:
    Matrix<const S, Space> weight() const { return linear_.weight; }

    typename Space::Queue queue_;
    LinearView<S, Space> linear_;
    Fp8Factors<Space> factors_;
};

}  // namespace shardstone::reference
