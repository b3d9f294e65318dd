// SPDX-License-Identifier: BSD-3-Clause
// The three matrix products of a linear layer on the GPU.
#include "kernels/gemm/cublaslt_cuda.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/transformer/linear.hpp"

namespace shardstone {

template <class S, class Out>
void linear_forward(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                    const S* bias, Matrix<Out, Cuda> out) {
    if constexpr (std::is_same_v<S, Out>) {
        gemm<S>(queue, 1, x, transpose(weight), 0, out, bias);
    } else {
        gemm<S>(queue, 1, x, transpose(weight), 0, out);
        if (bias != nullptr) detail::add_bias(queue, bias, out);
    }
}

template <class S, class Out>
void linear_backward_input(CudaQueue queue, Matrix<const S, Cuda> d_out,
                           Matrix<const S, Cuda> weight, Matrix<Out, Cuda> d_x) {
    gemm<S>(queue, 1, d_out, weight, 0, d_x);
}

template <class S>
void linear_backward_parameters(CudaQueue queue, Matrix<const S, Cuda> d_out,
                                Matrix<const S, Cuda> x, Matrix<compute_t<S>, Cuda> d_weight,
                                compute_t<S>* d_bias) {
    gemm<S>(queue, 1, transpose(d_out), x, 1, d_weight);
    if (d_bias != nullptr) bias_backward<S>(queue, d_out, d_bias);
}

#define SHARDSTONE_INSTANTIATE_OUT(S, Out)                                                       \
    template void linear_forward(CudaQueue, Matrix<const S, Cuda>, Matrix<const S, Cuda>,        \
                                 const S*, Matrix<Out, Cuda>);                                   \
    template void linear_backward_input(CudaQueue, Matrix<const S, Cuda>, Matrix<const S, Cuda>, \
                                        Matrix<Out, Cuda>);
#define SHARDSTONE_INSTANTIATE(S)                                                               \
    SHARDSTONE_INSTANTIATE_OUT(S, S)                                                            \
    template void linear_backward_parameters(CudaQueue, Matrix<const S, Cuda>,                  \
                                             Matrix<const S, Cuda>, Matrix<compute_t<S>, Cuda>, \
                                             compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
SHARDSTONE_INSTANTIATE_OUT(bf16, float)
SHARDSTONE_INSTANTIATE_OUT(fp16, float)
#undef SHARDSTONE_INSTANTIATE
#undef SHARDSTONE_INSTANTIATE_OUT

}  // namespace shardstone
