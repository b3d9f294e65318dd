// SPDX-License-Identifier: BSD-3-Clause
// Adds a branch's output and the bias of its projection to the residual stream in one sweep.
#include "kernels/transformer/residual.hpp"

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class S, class R>
void bias_residual_forward(HostQueue queue, Matrix<const std::type_identity_t<R>> residual,
                           Matrix<const std::type_identity_t<R>> branch, const S* bias,
                           Matrix<std::type_identity_t<R>> out) {
    using Real = compute_t<S>;
    for_each_row(queue, out.rows, [=](std::int64_t r) {
        const R* past = residual.row(r);
        const R* from = branch.row(r);
        R* to = out.row(r);
        if (bias == nullptr) {
            for (std::int64_t c = 0; c < out.columns; ++c) {
                store(static_cast<Real>(past[c]) + static_cast<Real>(from[c]), to[c]);
            }
            return;
        }
#pragma omp simd
        for (std::int64_t c = 0; c < out.columns; ++c) {
            store(static_cast<Real>(past[c]) +
                      (static_cast<Real>(from[c]) + static_cast<Real>(bias[c])),
                  to[c]);
        }
    });
}

#define SHARDSTONE_INSTANTIATE(S, R)                                                       \
    template void bias_residual_forward<S, R>(HostQueue, Matrix<const R>, Matrix<const R>, \
                                              const S*, Matrix<R>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(double, double)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
