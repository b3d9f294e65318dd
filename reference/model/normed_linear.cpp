// SPDX-License-Identifier: BSD-3-Clause
// A norm and the column-parallel linear layer behind it, forward and backward.
#include "reference/model/normed_linear.hpp"

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/layernorm.hpp"

namespace shardstone::reference {

template <class S, class R, class Space>
Matrix<S, Space> NormedLinear<S, R, Space>::norm(Matrix<R, Space> x,
                                                 const NormActivations<S, Space>& to,
                                                 const RowBuffer<S, R, Space>& buffer) const {
    layernorm_forward<S, R>(stream_->queue(), x, norm_.weight, norm_.bias, to.out, to.mean,
                            to.rstd);
    return stream_->place(to.out, buffer.stored);
}

template <class S, class R, class Space>
Matrix<R, Space> NormedLinear<S, R, Space>::backward_input(
    Matrix<S, Space> d_wide, const RowBuffer<S, R, Space>& buffer) const {
    linear_.backward_input(d_wide, buffer.stream);
    stream_->meanwhile();
    return buffer.stream;
}

template <class S, class R, class Space>
void NormedLinear<S, R, Space>::backward_weights(const NormActivations<S, Space>& kept,
                                                 Matrix<S, Space> d_wide,
                                                 const RowBuffer<S, R, Space>& buffer) const {
    linear_.backward_weight(d_wide, normed(kept, buffer));
    linear_.backward_bias(d_wide);
    stream_->meanwhile();
}

template <class S, class R, class Space>
void NormedLinear<S, R, Space>::backward_norm_weights(Matrix<R, Space> x,
                                                      const NormActivations<S, Space>& kept,
                                                      Matrix<R, Space> d_normed) const {
    layernorm_backward_parameters<S, R>(
        stream_->queue(), LayernormSaved<S, R, Space>{x, norm_.weight, kept.mean, kept.rstd},
        d_normed, norm_.d_weight, norm_.d_bias);
}

template <class S, class R, class Space>
void NormedLinear<S, R, Space>::backward_norm(Matrix<R, Space> x,
                                              const NormActivations<S, Space>& kept,
                                              Matrix<R, Space> d_normed,
                                              Matrix<R, Space> d_x) const {
    layernorm_backward_input<S, R>(
        stream_->queue(), LayernormSaved<S, R, Space>{x, norm_.weight, kept.mean, kept.rstd},
        d_normed, d_x);
}

template class NormedLinear<float>;
template class NormedLinear<double>;
template class NormedLinear<bf16>;
template class NormedLinear<fp16>;
template class NormedLinear<bf16, bf16>;
template class NormedLinear<float, float, Paced>;
template class NormedLinear<bf16, float, Paced>;
template class NormedLinear<fp16, float, Paced>;
template class NormedLinear<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class NormedLinear<float, float, Cuda>;
template class NormedLinear<bf16, float, Cuda>;
template class NormedLinear<fp16, float, Cuda>;
template class NormedLinear<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
