// SPDX-License-Identifier: BSD-3-Clause
// A norm and the column-parallel linear layer behind it, forward and backward.
#include "reference/model/normed_linear.hpp"

#include "kernels/transformer/layernorm.hpp"

namespace shardstone::reference {

template <class S, class R>
Matrix<S> NormedLinear<S, R>::norm(Matrix<R> x, const NormActivations<S>& to,
                                   const RowBuffer<S, R>& buffer) const {
    layernorm_forward<S, R>(x, norm_.weight, norm_.bias, to.out, to.mean, to.rstd);
    return stream_->place(to.out, buffer.stored);
}

template <class S, class R>
Matrix<R> NormedLinear<S, R>::backward_input(Matrix<S> d_wide,
                                             const RowBuffer<S, R>& buffer) const {
    linear_.backward_input(d_wide, buffer.stream);
    stream_->meanwhile();
    return buffer.stream;
}

template <class S, class R>
void NormedLinear<S, R>::backward_weights(const NormActivations<S>& kept, Matrix<S> d_wide,
                                          const RowBuffer<S, R>& buffer) const {
    linear_.backward_weight(d_wide, normed(kept, buffer));
    linear_.backward_bias(d_wide);
    stream_->meanwhile();
}

template <class S, class R>
void NormedLinear<S, R>::backward_norm_weights(Matrix<R> x, const NormActivations<S>& kept,
                                               Matrix<R> d_normed) const {
    layernorm_backward_parameters<S, R>({x, norm_.weight, kept.mean, kept.rstd}, d_normed,
                                        norm_.d_weight, norm_.d_bias);
}

template <class S, class R>
void NormedLinear<S, R>::backward_norm(Matrix<R> x, const NormActivations<S>& kept,
                                       Matrix<R> d_normed, Matrix<R> d_x) const {
    layernorm_backward_input<S, R>({x, norm_.weight, kept.mean, kept.rstd}, d_normed, d_x);
}

template class NormedLinear<float>;
template class NormedLinear<double>;
template class NormedLinear<bf16>;
template class NormedLinear<fp16>;
template class NormedLinear<bf16, bf16>;

}  // namespace shardstone::reference
