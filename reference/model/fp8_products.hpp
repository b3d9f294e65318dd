// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/gemm/gemm.hpp"
#include "kernels/transformer/fp8_rows.hpp"
#include "reference/model/fp8_factors.hpp"

namespace shardstone::reference {

/// The products of one linear layer as a GPU's matrix units compute them from FP8 itself: of the
/// same factors as products in BF16 of the rounded numbers, in about half the time, but for what
/// the units cut off their sums (fp8_gemm()). Each function returns false, having done nothing,
/// where the units cannot: without scales (in the first step), before compute capability 8.9, or
/// for sizes, distances or addresses that are no multiples of 16.
class Fp8Products {
    using Role = Fp8Tensor::Role;

  public:
    Fp8Products(CudaQueue queue, const Fp8Factors<Cuda>& factors)
        : queue_(queue), factors_(factors) {}

    /// out (N, O) = x (N, I) W^T + bias with W (O, I).
    template <class Out>
    bool forward(Matrix<const bf16, Cuda> x, Matrix<const bf16, Cuda> weight, const bf16* bias,
                 Matrix<Out, Cuda> out) const {
        if (!can(Role::activations, Role::weights, x.columns, out)) return false;
        fp8_gemm<fp8_e4m3, Out>(queue_, as_it_is<fp8_e4m3>(x, Role::activations, left()),
                                as_it_is<fp8_e4m3>(weight, Role::weights, right()), 0.0F, out,
                                bias);
        return true;
    }
    /// d_x (N, I) = d_out (N, O) W: sums over the rows of W.
    template <class Out>
    bool backward_input(Matrix<const bf16, Cuda> d_out, Matrix<const bf16, Cuda> weight,
                        Matrix<Out, Cuda> d_x) const {
        if (!can(Role::gradients, Role::weights, d_out.columns, d_x)) return false;
        fp8_gemm<fp8_e5m2, Out>(queue_, as_it_is<fp8_e5m2>(d_out, Role::gradients, left()),
                                transposed<fp8_e4m3>(weight, Role::weights, right()), 0.0F, d_x);
        return true;
    }
    /// d_weight (O, I) += d_out^T x: sums over the rows of both.
    bool backward_weight(Matrix<const bf16, Cuda> d_out, Matrix<const bf16, Cuda> x,
                         Matrix<float, Cuda> d_weight) const {
        if (!can(Role::gradients, Role::activations, x.rows, d_weight)) return false;
        fp8_gemm<fp8_e5m2, float>(queue_, transposed<fp8_e5m2>(d_out, Role::gradients, left()),
                                  transposed<fp8_e4m3>(x, Role::activations, right()), 1.0F,
                                  d_weight);
        return true;
    }

  private:
    void* left() const { return factors_.buffer().left; }
    void* right() const { return factors_.buffer().right; }

    template <class Out>
    bool can(Role one, Role other, std::int64_t terms, const Matrix<Out, Cuda>& result) const {
        const auto is_multiple = [](std::int64_t number) { return number % fp8_multiple == 0; };
        return factors_.has_scale(one) && factors_.has_scale(other) && terms > 0 &&
               is_multiple(terms) && is_multiple(result.columns) &&
               is_multiple(result.leading * static_cast<std::int64_t>(sizeof(Out))) &&
               is_multiple(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(result.data) %
                                                     fp8_multiple)) &&
               gpu_reads_fp8();
    }

    template <class F>
    Fp8Factor<F> as_it_is(Matrix<const bf16, Cuda> factor, Role role, void* to) const {
        const auto stored = matrix<Cuda>(static_cast<F*>(to), factor.rows, factor.columns);
        store_as_fp8<F>(queue_, factor, factors_.scale(role), stored, factors_.amax(role));
        return {stored, factors_.unit(role)};
    }
    template <class F>
    Fp8Factor<F> transposed(Matrix<const bf16, Cuda> factor, Role role, void* to) const {
        const auto stored = matrix<Cuda>(static_cast<F*>(to), factor.columns, factor.rows);
        store_transposed_as_fp8<F>(queue_, factor, factors_.scale(role), stored,
                                   factors_.amax(role));
        return {stored, factors_.unit(role)};
    }

    CudaQueue queue_;
    const Fp8Factors<Cuda>& factors_;
};

}  // namespace shardstone::reference
