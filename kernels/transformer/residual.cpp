// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/residual.hpp"

#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class S>
void bias_residual_forward(Matrix<const compute_t<S>> residual, Matrix<const compute_t<S>> branch,
                           const S* bias, Matrix<compute_t<S>> out) {
    using Real = compute_t<S>;
    for_each_row(out.rows, [=](std::int64_t r) {
        const Real* past = residual.row(r);
        const Real* from = branch.row(r);
        Real* to = out.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < out.columns; ++c) {
            to[c] = past[c] + (from[c] + static_cast<Real>(bias[c]));
        }
    });
}

#define SHARDSTONE_INSTANTIATE(S)                                                                  \
    template void bias_residual_forward<S>(Matrix<const compute_t<S>>, Matrix<const compute_t<S>>, \
                                           const S*, Matrix<compute_t<S>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
