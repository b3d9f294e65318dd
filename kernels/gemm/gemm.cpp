// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/gemm.hpp"

#include "kernels/base/error.hpp"
#include "kernels/gemm/library.hpp"
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

}  // namespace

template <class Real>
void gemm(Real alpha, const Factor<Real>& a, const Factor<Real>& b, Real beta,
          const Matrix<Real>& c) {
    SHARDSTONE_EXPECTS(a.rows() == c.rows && b.columns() == c.columns && a.columns() == b.rows());
    ensure_runtime();
    multiply({c.rows, c.columns, a.columns(), alpha, a.matrix.data, a.matrix.leading, a.transposed,
              b.matrix.data, b.matrix.leading, b.transposed, beta, c.data, c.leading});
}

template void gemm(float, const Factor<float>&, const Factor<float>&, float, const Matrix<float>&);
template void gemm(double, const Factor<double>&, const Factor<double>&, double,
                   const Matrix<double>&);

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

std::optional<std::string> gemm_warning() {
#if defined(SHARDSTONE_HAVE_CBLAS)
    return detail::cblas_warning();
#else
    return std::nullopt;
#endif
}

}  // namespace shardstone
