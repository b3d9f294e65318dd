// SPDX-License-Identifier: BSD-3-Clause
// The three matrix products of a linear layer on the GPU.
#include "kernels/gemm/cublaslt_cuda.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/scratch.hpp"
#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/narrow_rows.hpp"

namespace shardstone {

namespace {

/// cuBLASLt has fast kernels for sizes that are multiples of this many elements alone, however far
/// apart rows are: with GPT-2's vocabulary of 50257 others take eight times as long. So products
/// are split there into one of whole multiples and one of the rest.
constexpr std::int64_t fast_multiple = 8;

std::int64_t fast_part(std::int64_t count) {
    return count / fast_multiple * fast_multiple;
}

template <class T>
bool is_fast(const Matrix<T, Cuda>& m) {
    return m.columns % fast_multiple == 0 && m.leading % fast_multiple == 0 &&
           reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0;
}

/// A matrix of FP32, until the next one.
Matrix<float, Cuda> scratch_matrix(CudaQueue queue, std::int64_t rows, std::int64_t columns) {
    return matrix<Cuda>(scratch(queue, rows * columns, ScratchOf::unrounded_product), rows,
                        columns);
}

/// out = x W^T, columns of whole multiples first.
template <class S, class Out>
void multiply_columns(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                      Matrix<Out, Cuda> out) {
    const std::int64_t whole = fast_part(out.columns), rest = out.columns - whole;
    if (whole > 0) {
        gemm<S>(queue, 1, x, transpose(weight.rows_from(0, whole)), 0, out.columns_from(0, whole));
    }
    if (rest > 0) {
        gemm<S>(queue, 1, x, transpose(weight.rows_from(whole, rest)), 0,
                out.columns_from(whole, rest));
    }
}

/// d_x = d_out W, the terms of whole multiples first.
template <class S>
void multiply_terms(CudaQueue queue, Matrix<const S, Cuda> d_out, Matrix<const S, Cuda> weight,
                    Matrix<float, Cuda> d_x) {
    const std::int64_t whole = fast_part(weight.rows), rest = weight.rows - whole;
    if (whole > 0) {
        gemm<S>(queue, 1, d_out.columns_from(0, whole), weight.rows_from(0, whole), 0, d_x);
    }
    if (rest > 0) {
        gemm<S>(queue, 1, d_out.columns_from(whole, rest), weight.rows_from(whole, rest),
                whole > 0 ? 1 : 0, d_x);
    }
}

}  // namespace

template <class S, class Out>
void linear_forward(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                    const S* bias, Matrix<Out, Cuda> out) {
    if (bias == nullptr) return multiply_columns<S>(queue, x, weight, out);
    if constexpr (std::is_same_v<S, Out>) {
        // For other sizes cuBLASLt adds the bias to results that it has already rounded.
        if (!is_narrow<Out> || (is_fast(x) && is_fast(weight) && is_fast(out))) {
            return gemm<S>(queue, 1, x, transpose(weight), 0, out, bias);
        }
    }
    if constexpr (is_narrow<Out>) {
        const auto sums = scratch_matrix(queue, out.rows, out.columns);
        multiply_columns<S>(queue, x, weight, sums);
        detail::add_bias(queue, bias, sums);
        narrow_rows<Out>(queue, sums, out);
    } else if constexpr (is_narrow<S>) {
        multiply_columns<S>(queue, x, weight, out);
        detail::add_bias(queue, bias, out);
    }
}

template <class S, class Out>
void linear_backward_input(CudaQueue queue, Matrix<const S, Cuda> d_out,
                           Matrix<const S, Cuda> weight, Matrix<Out, Cuda> d_x) {
    if constexpr (!is_narrow<Out>) {
        multiply_terms<S>(queue, d_out, weight, d_x);
    } else if (weight.rows % fast_multiple == 0) {
        gemm<S>(queue, 1, d_out, weight, 0, d_x);
    } else {
        const auto sums = scratch_matrix(queue, d_x.rows, d_x.columns);
        multiply_terms<S>(queue, d_out, weight, sums);
        narrow_rows<Out>(queue, sums, d_x);
    }
}

template <class S>
void linear_backward_parameters(CudaQueue queue, Matrix<const S, Cuda> d_out,
                                Matrix<const S, Cuda> x, Matrix<compute_t<S>, Cuda> d_weight,
                                compute_t<S>* d_bias) {
    const std::int64_t whole = fast_part(d_weight.rows), rest = d_weight.rows - whole;
    if (whole > 0) {
        gemm<S>(queue, 1, transpose(d_out.columns_from(0, whole)), x, 1,
                d_weight.rows_from(0, whole));
    }
    if (rest > 0) {
        gemm<S>(queue, 1, transpose(d_out.columns_from(whole, rest)), x, 1,
                d_weight.rows_from(whole, rest));
    }
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
