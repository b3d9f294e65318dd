// SPDX-License-Identifier: BSD-3-Clause
// The libraries behind gemm(), one file each; row-major, with the BLAS' arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/gemm/gemm.hpp"

namespace shardstone::detail {

template <class Real>
struct GemmCall {
    std::int64_t m, n, k;
    Real alpha;
    const Real* a;
    std::int64_t leading_a;
    bool transpose_a;
    const Real* b;
    std::int64_t leading_b;
    bool transpose_b;
    Real beta;
    Real* c;
    std::int64_t leading_c;
};

void onednn_gemm(const GemmCall<float>& call);
std::string onednn_name();

/// gemm() of bf16 factors with the processor's own instructions; with AVX-512 but without these
/// instructions oneDNN emulates them, and with less it refuses (Error). Out is bf16 or float.
template <class Out>
void onednn_gemm(float alpha, const Factor<bf16>& a, const Factor<bf16>& b, float beta,
                 const Matrix<Out>& c, const float* bias);
bool onednn_multiplies_bf16();
/// Whether those instructions beat widening to FP32 on this processor.
bool onednn_multiplies_bf16_faster();

void cblas_gemm(const GemmCall<float>& call);
void cblas_gemm(const GemmCall<double>& call);
std::string cblas_name();
std::optional<std::string> cblas_warning();

/// Fallback for a missing library. Three plain loops, for correctness only.
template <class Real>
void plain_gemm(const GemmCall<Real>& call) {
    for (std::int64_t i = 0; i < call.m; ++i) {
        for (std::int64_t j = 0; j < call.n; ++j) {
            Real sum = 0;
            for (std::int64_t p = 0; p < call.k; ++p) {
                const auto ia = call.transpose_a ? p * call.leading_a + i : i * call.leading_a + p;
                const auto ib = call.transpose_b ? j * call.leading_b + p : p * call.leading_b + j;
                sum += call.a[ia] * call.b[ib];
            }
            Real& c = call.c[i * call.leading_c + j];
            c = call.alpha * sum + (call.beta == Real(0) ? Real(0) : call.beta * c);
        }
    }
}

}  // namespace shardstone::detail
