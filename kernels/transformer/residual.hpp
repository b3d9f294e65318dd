// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// The end of a residual branch: out = residual + (branch + bias), all (N, C) and in R, Real =
/// compute_t<S> or S, rounded once; bias (C) of the projection that computed `branch`, in its
/// storage type S; nullptr: none. out may be branch itself. Its backward needs no kernel: the
/// gradient passes to residual and branch unchanged, and to the bias as in linear.hpp.
template <class S, class R = compute_t<S>>
void bias_residual_forward(HostQueue queue, Matrix<const std::type_identity_t<R>> residual,
                           Matrix<const std::type_identity_t<R>> branch, const S* bias,
                           Matrix<std::type_identity_t<R>> out);
template <class S, class R = compute_t<S>>
void bias_residual_forward(CudaQueue queue, Matrix<const std::type_identity_t<R>, Cuda> residual,
                           Matrix<const std::type_identity_t<R>, Cuda> branch, const S* bias,
                           Matrix<std::type_identity_t<R>, Cuda> out);

}  // namespace shardstone
