// SPDX-License-Identifier: BSD-3-Clause
// The layers of kernels/transformer bound to a model's parameters and activations.
#pragma once

#include "kernels/transformer/layernorm.hpp"
#include "kernels/transformer/linear.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/parameter_views.hpp"
#include "reference/model/ready.hpp"

namespace shardstone::reference {

template <class Real>
void norm_forward(const NormView<Real>& norm, Matrix<Real> x, const NormActivations<Real>& to) {
    layernorm_forward<Real>(x, norm.weight, norm.bias, to.out, to.mean, to.rstd);
}

/// Adds the gradient with respect to x to d_x; reports the parameters as final.
template <class Real>
void norm_backward(const NormView<Real>& norm, Matrix<Real> x, const NormActivations<Real>& kept,
                   Matrix<Real> d_out, Matrix<Real> d_x, ReadyPrefix& ready) {
    const LayernormSaved<Real> saved{x, norm.weight, kept.mean, kept.rstd};
    layernorm_backward_parameters<Real>(saved, d_out, norm.d_weight, norm.d_bias);
    ready.advance(norm.end);
    layernorm_backward_input<Real>(saved, d_out, d_x);
}

/// Overwrites d_x; reports the parameters as final as soon as they are.
template <class Real>
void linear_backward(const LinearView<Real>& linear, Matrix<Real> x, Matrix<Real> d_out,
                     Matrix<Real> d_x, ReadyPrefix& ready) {
    linear_backward_parameters<Real>(d_out, x, linear.d_weight, linear.d_bias);
    ready.advance(linear.end);
    linear_backward_input<Real>(d_out, linear.weight, d_x);
}

}  // namespace shardstone::reference
