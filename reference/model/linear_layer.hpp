// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/linear.hpp"
#include "reference/model/fp8_factors.hpp"
#include "reference/model/fp8_products.hpp"
#include "reference/model/parameter_views.hpp"

namespace shardstone::reference {

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
        if constexpr (may_read_fp8) {
            if (Fp8Products(queue_, factors_).forward(x, weight(), bias, out)) return;
        }
        const Fp8Buffers& buffer = factors_.buffer();
        linear_forward<S>(queue_, factors_.activations(queue_, x, buffer.left),
                          factors_.weights(queue_, weight(), buffer.right), bias, out);
    }
    /// d_x = d_out W.
    template <class Out>
    void backward_input(Matrix<const S, Space> d_out, Matrix<Out, Space> d_x) const {
        if constexpr (may_read_fp8) {
            if (Fp8Products(queue_, factors_).backward_input(d_out, weight(), d_x)) return;
        }
        const Fp8Buffers& buffer = factors_.buffer();
        linear_backward_input<S>(queue_, factors_.gradients(queue_, d_out, buffer.left),
                                 factors_.weights(queue_, weight(), buffer.right), d_x);
    }
    /// d_weight += d_out^T x.
    void backward_weight(Matrix<const S, Space> d_out, Matrix<const S, Space> x) const {
        if constexpr (may_read_fp8) {
            const Fp8Products products(queue_, factors_);
            if (products.backward_weight(d_out, x, linear_.d_weight)) return;
        }
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
    static constexpr bool may_read_fp8 = std::is_same_v<Space, Cuda> && std::is_same_v<S, bf16>;

    Matrix<const S, Space> weight() const { return linear_.weight; }

    typename Space::Queue queue_;
    LinearView<S, Space> linear_;
    Fp8Factors<Space> factors_;
};

}  // namespace shardstone::reference
