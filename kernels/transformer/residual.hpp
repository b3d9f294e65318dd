// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// The end of a residual branch: out = residual + (branch + bias), all (N, C), bias (C) of the
/// projection that made `branch`, and in its storage type S; all else is in Real = compute_t<S>.
/// out may be branch itself. Its backward needs no kernel: the gradient
/// passes to residual and branch unchanged, and to the bias as in linear.hpp.
template <class S>
void bias_residual_forward(Matrix<const compute_t<S>> residual, Matrix<const compute_t<S>> branch,
                           const S* bias, Matrix<compute_t<S>> out);

}  // namespace shardstone
