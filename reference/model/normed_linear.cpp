// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/normed_linear.hpp"

#include "kernels/transformer/layernorm.hpp"
#include "kernels/transformer/linear.hpp"

namespace shardstone::reference {

template <class Real>
Matrix<Real> NormedLinear<Real>::normed(Matrix<Real> x, const NormActivations<Real>& to,
                                        Matrix<Real> room) const {
    layernorm_forward<Real>(x, norm_.weight, norm_.bias, to.out, to.mean, to.rstd);
    return stream_->collected(to.out, room);
}

template <class Real>
Matrix<Real> NormedLinear<Real>::backward_input(Matrix<Real> d_wide, Matrix<Real> room) const {
    linear_backward_input<Real>(d_wide, linear_.weight, room);
    stream_->meanwhile();
    return stream_->reduced(room);
}

template <class Real>
void NormedLinear<Real>::backward_weights(Matrix<Real> x, const NormActivations<Real>& kept,
                                          Matrix<Real> d_wide, Matrix<Real> d_normed,
                                          Matrix<Real> room) const {
    linear_backward_parameters<Real>(d_wide, stream_->collected(kept.out, room), linear_.d_weight,
                                     linear_.d_bias);
    stream_->meanwhile();
    layernorm_backward_parameters<Real>({x, norm_.weight, kept.mean, kept.rstd}, d_normed,
                                        norm_.d_weight, norm_.d_bias);
}

template <class Real>
void NormedLinear<Real>::backward_norm(Matrix<Real> x, const NormActivations<Real>& kept,
                                       Matrix<Real> d_normed, Matrix<Real> d_x) const {
    layernorm_backward_input<Real>({x, norm_.weight, kept.mean, kept.rstd}, d_normed, d_x);
}

template class NormedLinear<float>;
template class NormedLinear<double>;

}  // namespace shardstone::reference
