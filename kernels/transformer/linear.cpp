// SPDX-License-Identifier: BSD-3-Clause
// The three matrix products of a linear layer: output, input gradient and weight gradient.
#include "kernels/transformer/linear.hpp"

#include <vector>

#include "kernels/base/convert.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/transformer/columns.hpp"

namespace shardstone {

template <class S, class Out>
void linear_forward(HostQueue queue, Matrix<const S> x, Matrix<const S> weight, const S* bias,
                    Matrix<Out> out) {
    if constexpr (is_narrow<S>) {
        std::vector<compute_t<S>> widened;
        if (bias != nullptr) {
            widened.resize(static_cast<std::size_t>(out.columns));
            widen(bias, widened.data(), out.columns);
        }
        gemm<S>(queue, 1, x, transpose(weight), 0, out, bias == nullptr ? nullptr : widened.data());
    } else {
        gemm<S>(queue, 1, x, transpose(weight), 0, out, bias);
    }
}

template <class S, class Out>
void linear_backward_input(HostQueue queue, Matrix<const S> d_out, Matrix<const S> weight,
                           Matrix<Out> d_x) {
    gemm<S>(queue, 1, d_out, weight, 0, d_x);
}

template <class S>
void linear_backward_parameters(HostQueue queue, Matrix<const S> d_out, Matrix<const S> x,
                                Matrix<compute_t<S>> d_weight, compute_t<S>* d_bias) {
    gemm<S>(queue, 1, transpose(d_out), x, 1, d_weight);
    if (d_bias != nullptr) bias_backward<S>(queue, d_out, d_bias);
}

template <class S>
void bias_backward(HostQueue queue, Matrix<const S> d_out, compute_t<S>* d_bias) {
    using Real = compute_t<S>;
    detail::for_each_column_block(queue, d_out.columns, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = 0; r < d_out.rows; ++r) {
            const S* row = d_out.row(r);
#pragma omp simd
            for (std::int64_t c = begin; c < end; ++c) d_bias[c] += static_cast<Real>(row[c]);
        }
    });
}

#define SHARDSTONE_INSTANTIATE_OUT(S, Out)                                              \
    template void linear_forward(HostQueue, Matrix<const S>, Matrix<const S>, const S*, \
                                 Matrix<Out>);                                          \
    template void linear_backward_input(HostQueue, Matrix<const S>, Matrix<const S>, Matrix<Out>);
#define SHARDSTONE_INSTANTIATE(S)                                                         \
    SHARDSTONE_INSTANTIATE_OUT(S, S)                                                      \
    template void linear_backward_parameters(HostQueue, Matrix<const S>, Matrix<const S>, \
                                             Matrix<compute_t<S>>, compute_t<S>*);        \
    template void bias_backward(HostQueue, Matrix<const S>, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
SHARDSTONE_INSTANTIATE_OUT(bf16, float)
SHARDSTONE_INSTANTIATE_OUT(fp16, float)
#undef SHARDSTONE_INSTANTIATE
#undef SHARDSTONE_INSTANTIATE_OUT

}  // namespace shardstone
