// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// The end of a residual branch: out = residual + (branch + bias), all (N, C), bias (C) of the
/// projection that made `branch`. out may be branch itself. Its backward needs no kernel: the
/// gradient passes to residual and branch unchanged, and to the bias as in linear.hpp.
template <class Real>
void bias_residual_forward(Matrix<const Real> residual, Matrix<const Real> branch, const Real* bias,
                           Matrix<Real> out);

}  // namespace shardstone
