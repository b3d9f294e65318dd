// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// The end of a residual branch: out = residual + (branch + bias), all (N, C), bias (C) of the
/// projection that made `branch`, which may be in any storage type S; the stream and the sums are
/// in Real = compute_t<S>. out may be branch itself. Its backward needs no kernel: the gradient
/// passes to residual and branch unchanged, and to the bias as in linear.hpp.
template <class S>
void bias_residual_forward(Matrix<const compute_t<S>> residual, Matrix<const S> branch,
                           const compute_t<S>* bias, Matrix<compute_t<S>> out);

}  // namespace shardstone
