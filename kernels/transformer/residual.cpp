// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/residual.hpp"

#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class S>
void bias_residual_forward(Matrix<const compute_t<S>> residual, Matrix<const S> branch,
                           const compute_t<S>* bias, Matrix<compute_t<S>> out) {
    using Real = compute_t<S>;
    for_each_row(out.rows, [=](std::int64_t r) {
        const Real* past = residual.row(r);
        const S* from = branch.row(r);
        Real* to = out.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < out.columns; ++c) {
            to[c] = past[c] + (static_cast<Real>(from[c]) + bias[c]);
        }
    });
}

#define SHARDSTONE_INSTANTIATE(S)                                                       \
    template void bias_residual_forward<S>(Matrix<const compute_t<S>>, Matrix<const S>, \
                                           const compute_t<S>*, Matrix<compute_t<S>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
