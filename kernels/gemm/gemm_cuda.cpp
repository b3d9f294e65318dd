// SPDX-License-Identifier: BSD-3-Clause
// Matrix products on the GPU: which types, shapes and addresses they accept.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/base/check_cuda.hpp"
#include "kernels/base/error.hpp"
#include "kernels/gemm/cublaslt_cuda.hpp"
#include "kernels/gemm/gemm.hpp"

namespace shardstone {

namespace {

template <class T>
bool is_aligned(const Matrix<T, Cuda>& m) {
    return reinterpret_cast<std::uintptr_t>(m.data) % fp8_multiple == 0 &&
           m.leading * static_cast<std::int64_t>(sizeof(T)) % fp8_multiple == 0;
}

template <class F, class Out>
void require_aligned(const Fp8Factor<F>& a, const Fp8Factor<fp8_e4m3>& b,
                     const Matrix<Out, Cuda>& c) {
    const bool holds = c.columns % fp8_multiple == 0 && a.matrix.columns % fp8_multiple == 0 &&
                       is_aligned(a.matrix) && is_aligned(b.matrix) && is_aligned(c);
    require(holds, [&] {
        return fmt::format(
            "a product of FP8 matrices of {} and {} rows with {} columns (distances between rows: "
            "{}, {} and of the result {}): rows of the second, columns and distances in bytes, and "
            "all "
            "addresses have to be multiples of {}; choose sizes of the model that are, or bf16",
            a.matrix.rows, b.matrix.rows, a.matrix.columns, a.matrix.leading, b.matrix.leading,
            c.leading, fp8_multiple);
    });
}

}  // namespace

bool gpu_reads_fp8() {
    static const bool reads = [] {
        int device = 0, major = 0, minor = 0;
        SHARDSTONE_CUDA(cudaGetDevice(&device));
        SHARDSTONE_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        SHARDSTONE_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
        return 10 * major + minor >= 89;
    }();
    return reads;
}

template <class S, class Out>
void gemm(CudaQueue queue, float alpha, const Factor<S, Cuda>& a, const Factor<S, Cuda>& b,
          float beta, const Matrix<Out, Cuda>& c, const std::type_identity_t<Out>* bias) {
    SHARDSTONE_EXPECTS(a.rows() == c.rows && b.columns() == c.columns && a.columns() == b.rows());
    SHARDSTONE_EXPECTS(!is_narrow<Out> || beta == 0);
    SHARDSTONE_EXPECTS(bias == nullptr || (alpha == 1 && beta == 0));
    detail::cublaslt_multiply(
        queue, {detail::factor(a.matrix, a.transposed), detail::factor(b.matrix, b.transposed),
                detail::result(c), alpha, beta, bias, element_traits<Out>::type});
}

template <class F, class Out>
void fp8_gemm(CudaQueue queue, const Fp8Factor<F>& a, const Fp8Factor<fp8_e4m3>& b, float beta,
              const Matrix<Out, Cuda>& c, const bf16* bias) {
    SHARDSTONE_EXPECTS(a.matrix.rows == c.rows && b.matrix.rows == c.columns &&
                       a.matrix.columns == b.matrix.columns);
    SHARDSTONE_EXPECTS(!is_narrow<Out> || beta == 0);
    require_aligned(a, b, c);
    constexpr bool adds_bias = std::is_same_v<Out, bf16>;  // while it stores
    detail::DeviceProduct product{detail::factor(a.matrix, false),
                                  detail::factor(b.matrix, true),
                                  detail::result(c),
                                  1,
                                  beta,
                                  adds_bias ? bias : nullptr,
                                  ElementType::bf16};
    product.a.unit = a.unit;
    product.b.unit = b.unit;
    detail::cublaslt_multiply(queue, product);
    if constexpr (!adds_bias) {
        if (bias != nullptr) detail::add_bias(queue, bias, c);
    }
}

#define SHARDSTONE_INSTANTIATE(S, Out)                                                          \
    template void gemm(CudaQueue, float, const Factor<S, Cuda>&, const Factor<S, Cuda>&, float, \
                       const Matrix<Out, Cuda>&, const Out*);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, fp16)
SHARDSTONE_INSTANTIATE(fp16, float)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(F, Out)                                                        \
    template void fp8_gemm(CudaQueue, const Fp8Factor<F>&, const Fp8Factor<fp8_e4m3>&, float, \
                           const Matrix<Out, Cuda>&, const bf16*);
SHARDSTONE_INSTANTIATE(fp8_e4m3, bf16)
SHARDSTONE_INSTANTIATE(fp8_e4m3, float)
SHARDSTONE_INSTANTIATE(fp8_e5m2, bf16)
SHARDSTONE_INSTANTIATE(fp8_e5m2, float)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
