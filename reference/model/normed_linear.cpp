// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/normed_linear.hpp"

#include "kernels/transformer/layernorm.hpp"

namespace shardstone::reference {

template <class S>
Matrix<S> NormedLinear<S>::norm(Matrix<Real> x, const NormActivations<S>& to,
                                const Room<S>& room) const {
    layernorm_forward<S>(x, norm_.weight, norm_.bias, to.out, to.mean, to.rstd);
    return stream_->place(to.out, room.stored);
}

template <class S>
auto NormedLinear<S>::backward_input(Matrix<S> d_wide, const Room<S>& room) const -> Matrix<Real> {
    linear_.backward_input(d_wide, room.real);
    stream_->meanwhile();
    return room.real;
}

template <class S>
void NormedLinear<S>::backward_weights(const NormActivations<S>& kept, Matrix<S> d_wide,
                                       const Room<S>& room) const {
    linear_.backward_weight(d_wide, normed(kept, room));
    linear_.backward_bias(d_wide);
    stream_->meanwhile();
}

template <class S>
void NormedLinear<S>::backward_norm_weights(Matrix<Real> x, const NormActivations<S>& kept,
                                            Matrix<Real> d_normed) const {
    layernorm_backward_parameters<S>({x, norm_.weight, kept.mean, kept.rstd}, d_normed,
                                     norm_.d_weight, norm_.d_bias);
}

template <class S>
void NormedLinear<S>::backward_norm(Matrix<Real> x, const NormActivations<S>& kept,
                                    Matrix<Real> d_normed, Matrix<Real> d_x) const {
    layernorm_backward_input<S>({x, norm_.weight, kept.mean, kept.rstd}, d_normed, d_x);
}

template class NormedLinear<float>;
template class NormedLinear<double>;
template class NormedLinear<bf16>;
template class NormedLinear<fp16>;

}  // namespace shardstone::reference
