// SPDX-License-Identifier: BSD-3-Clause
// Sends each matrix product to the library for its precision, and names the libraries in use.
#include "kernels/gemm/gemm.hpp"

#include "kernels/base/error.hpp"
#include "kernels/gemm/library.hpp"
#include "kernels/gemm/widened.hpp"
#include "kernels/tensor/runtime.hpp"

namespace shardstone {

namespace {

void multiply(const detail::GemmCall<float>& call) {
#if defined(SHARDSTONE_HAVE_ONEDNN)
    detail::onednn_gemm(call);
#elif defined(SHARDSTONE_HAVE_CBLAS)
    detail::cblas_gemm(call);
#else
    detail::plain_gemm(call);
#endif
}

void multiply(const detail::GemmCall<double>& call) {
#if defined(SHARDSTONE_HAVE_CBLAS)
    detail::cblas_gemm(call);
#else
    detail::plain_gemm(call);
#endif
}

template <class Real>
detail::GemmCall<Real> call_of(Real alpha, const Factor<Real>& a, const Factor<Real>& b, Real beta,
                               const Matrix<Real>& c) {
    return {c.rows,           c.columns,        a.columns(),  alpha,
            a.matrix.data,    a.matrix.leading, a.transposed, b.matrix.data,
            b.matrix.leading, b.transposed,     beta,         c.data,
            c.leading};
}

template <class Real>
void product(Real alpha, const Factor<Real>& a, const Factor<Real>& b, Real beta,
             const Matrix<Real>& c, const Real* bias) {
    multiply(call_of(alpha, a, b, beta, c));
    if (bias != nullptr) detail::add_bias(bias, c);
}

template <class S, class Out>
requires(is_narrow<S>) void product(float alpha, const Factor<S>& a, const Factor<S>& b, float beta,
                                    const Matrix<Out>& c, const float* bias) {
#if defined(SHARDSTONE_HAVE_ONEDNN)
    if constexpr (std::is_same_v<S, bf16>) {
        if (detail::onednn_multiplies_bf16_faster()) {
            detail::onednn_gemm(alpha, a, b, beta, c, bias);
            return;
        }
    }
#endif
    detail::widened_gemm(alpha, a, b, beta, c, bias);
}

}  // namespace

template <class S, class Out>
void gemm(HostQueue, compute_t<S> alpha, const Factor<S>& a, const Factor<S>& b, compute_t<S> beta,
          const Matrix<Out>& c, const compute_t<S>* bias) {
    SHARDSTONE_EXPECTS(a.rows() == c.rows && b.columns() == c.columns && a.columns() == b.rows());
    SHARDSTONE_EXPECTS(!is_narrow<Out> || beta == 0);
    SHARDSTONE_EXPECTS(bias == nullptr || (alpha == 1 && beta == 0));
    product(alpha, a, b, beta, c, bias);
}

#define SHARDSTONE_INSTANTIATE(S, Out)                                                            \
    template void gemm(HostQueue, compute_t<S>, const Factor<S>&, const Factor<S>&, compute_t<S>, \
                       const Matrix<Out>&, const compute_t<S>*);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(double, double)
SHARDSTONE_INSTANTIATE(bf16, bf16)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, fp16)
SHARDSTONE_INSTANTIATE(fp16, float)
#undef SHARDSTONE_INSTANTIATE

std::vector<GemmLibrary> gemm_libraries() {
    using A = const Factor<float>&;
    using C = const Matrix<float>&;
    ensure_runtime();
    std::vector<GemmLibrary> libraries;
#if defined(SHARDSTONE_HAVE_ONEDNN)
    libraries.push_back({detail::onednn_name(),
                         [](A a, A b, C c) { detail::onednn_gemm(call_of(1.0F, a, b, 0.0F, c)); }});
#endif
#if defined(SHARDSTONE_HAVE_CBLAS)
    libraries.push_back({detail::cblas_name(),
                         [](A a, A b, C c) { detail::cblas_gemm(call_of(1.0F, a, b, 0.0F, c)); }});
#endif
    return libraries;
}

std::string gemm_library() {
#if defined(SHARDSTONE_HAVE_CBLAS)
    const std::string cblas = detail::cblas_name();
#else
    const std::string cblas = "plain loops";
#endif
#if defined(SHARDSTONE_HAVE_ONEDNN)
    return detail::onednn_name() + " (fp32), " + cblas + " (fp64)";
#else
    return cblas + " (fp32 and fp64)";
#endif
}

std::string bf16_product_method() {
#if defined(SHARDSTONE_HAVE_ONEDNN)
    if (detail::onednn_multiplies_bf16_faster()) return "its own instructions";
#endif
    return "widening to fp32";
}

std::optional<std::string> gemm_warning() {
#if defined(SHARDSTONE_HAVE_CBLAS)
    return detail::cblas_warning();
#else
    return std::nullopt;
#endif
}

}  // namespace shardstone
