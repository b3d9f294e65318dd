// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// A factor of a product: a row-major matrix, optionally transposed. rows() and columns() are those
/// after transposition.
template <class Real, class Space = Host>
struct Factor {
    Matrix<const Real, Space> matrix;
    bool transposed = false;

    Factor(Matrix<const Real, Space> m, bool t = false) : matrix(m), transposed(t) {}
    Factor(Matrix<Real, Space> m) : matrix(m) {}
    std::int64_t rows() const { return transposed ? matrix.columns : matrix.rows; }
    std::int64_t columns() const { return transposed ? matrix.rows : matrix.columns; }
};

template <class Real, class Space>
Factor<Real, Space> transpose(Matrix<const Real, Space> m) {
    return {m, true};
}
template <class Real, class Space>
requires(!std::is_const_v<Real>) Factor<Real, Space> transpose(Matrix<Real, Space> m) {
    return {m, true};
}

/// C = alpha A B + beta C with A (m, k), B (k, n), C (m, n), none overlapping C; beta = 0 never
/// reads C. One thread. For given shapes the result is bitwise reproducible on the same machine.
///
/// The factors are in S: float, double, bf16 or fp16. Products of narrow numbers are exact and
/// summed in Real = compute_t<S>, as matrix units do; C is in Real or in S, where it is rounded
/// once, after the bias, and beta must be 0 (a sum kept in S would be rounded at every addition).
/// `bias` (n), unless it is nullptr, is added to every row of C; then alpha = 1, beta = 0.
template <class S, class Out>
void gemm(HostQueue queue, compute_t<S> alpha, const Factor<S>& a, const Factor<S>& b,
          compute_t<S> beta, const Matrix<Out>& c, const compute_t<S>* bias = nullptr);

/// The same on a GPU, by cuBLASLt; not of double. `bias` is in C's type; k > 0 unless beta is 1.
/// Any distance between rows will do; multiples of 16 B, as of the addresses, are several times
/// faster.
template <class S, class Out>
void gemm(CudaQueue queue, float alpha, const Factor<S, Cuda>& a, const Factor<S, Cuda>& b,
          float beta, const Matrix<Out, Cuda>& c, const std::type_identity_t<Out>* bias = nullptr);

/// A matrix of FP8 numbers that stand for numbers *unit times as large, `unit` being in the memory
/// of the GPU: 1 over the scale that they were multiplied with before they were rounded
/// (fp8_rows.hpp).
template <class F>
struct Fp8Factor {
    Matrix<const F, Cuda> matrix;
    const float* unit = nullptr;
};

/// Whether the matrix units of this process' GPU read FP8: from compute capability 8.9 on.
bool gpu_reads_fp8();

/// What fp8_gemm() asks of sizes, distances and addresses.
constexpr std::int64_t fp8_multiple = 16;

/// C (m, n) = A B^T + bias + beta C with A (m, k), B (n, k): both have the k numbers of a sum side
/// by side, as Hopper's matrix units read FP8. F is fp8_e4m3 or fp8_e5m2. Out is bf16 or float;
/// beta is 0 for bf16, as in gemm(). n and k are multiples of 16, addresses and distances between
/// rows of 16 B; throws Error naming them otherwise. Hopper's unit cuts terms off 13 bits below the
/// largest one ("DeepSeek-V3 Technical Report", 2024, section 3.3.2), so that the library is asked
/// to move its sums to FP32 now and then (no fast accumulation).
template <class F, class Out>
void fp8_gemm(CudaQueue queue, const Fp8Factor<F>& a, const Fp8Factor<fp8_e4m3>& b, float beta,
              const Matrix<Out, Cuda>& c, const bf16* bias = nullptr);

/// From now on, products of FP32 factors on GPUs may round them to TF32 (11 bits of significand),
/// as their matrix units do; by default they do not. For the process; tf32() is for the record.
void set_tf32(bool allowed);
bool tf32();

/// "cuBLASLt 13.1.0", for the record. Loads it.
std::string gpu_gemm_library();

/// How many distinct products (types, shapes, distances between rows, alignment, bias) cuBLASLt has
/// been asked about and what it answered is kept of: those to come cost tens of microseconds more.
std::int64_t gpu_gemm_plans();

/// A library that can multiply in FP32, whether or not chosen by gemm(): C = A B.
struct GemmLibrary {
    std::string name;
    void (*multiply)(const Factor<float>& a, const Factor<float>& b, const Matrix<float>& c);
};
/// The libraries built in, for comparison with gemm(). Each runs on one thread.
std::vector<GemmLibrary> gemm_libraries();

/// The libraries that multiply, for the record: "oneDNN 2.6.3 (fp32), OpenBLAS 0.3.21 SkylakeX
/// (fp64)".
std::string gemm_library();

/// How bf16 is multiplied here: "its own instructions", or "widening to fp32" if the processor has
/// none or is no faster with them (see onednn_bf16.cpp). fp16 is always widened.
std::string bf16_product_method();

/// One line of warning, with the remedy, if the CBLAS has chosen a kernel older than this CPU
/// (OpenBLAS treats an unknown CPU as an old one, at less than half the speed). To be printed once
/// per job.
std::optional<std::string> gemm_warning();

}  // namespace shardstone
