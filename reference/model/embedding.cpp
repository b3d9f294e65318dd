// SPDX-License-Identifier: BSD-3-Clause
// The embedding as a layer of a tensor-parallel model: lookup, positions and table gradients.
#include "reference/model/embedding.hpp"

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/embedding.hpp"

namespace shardstone::reference {

template <class S, class R, class Space>
Rows Embedding<S, R, Space>::compute(Computation computation,
                                     const EmbeddingPass<S, R, Space>& pass) const {
    switch (computation) {
        case Computation::embedding_lookup:
            return look_up(pass);
        case Computation::embedding_positions:
            add_positions(pass);
            return {};
        case Computation::embedding_gradient_rows:
            return place_gradient(pass);
        default:
            SHARDSTONE_EXPECTS(computation == Computation::embedding_weights);
            backward_tables(pass);
            return {};
    }
}

template <class S, class R, class Space>
Rows Embedding<S, R, Space>::look_up(const EmbeddingPass<S, R, Space>& pass) const {
    const Matrix<R, Space> partial = stream_->partial(pass.out, pass.workspace.buffer.stream);
    token_embedding_forward<S, R>(stream_->queue(), pass.tokens, first_token_, tokens_.weight,
                                  partial);
    return Rows(partial);
}

template <class S, class R, class Space>
void Embedding<S, R, Space>::add_positions(const EmbeddingPass<S, R, Space>& pass) const {
    const Matrix<R, Space> own =
        stream_->own_rows(stream_->partial(pass.out, pass.workspace.buffer.stream));
    if (own.data != pass.out.data) store_rows(stream_->queue(), own, pass.out);
    position_embedding_forward<S, R>(stream_->queue(), stream_->first_row(), places_.span(),
                                     positions_.weight, pass.out);
}

/// Location of the gradient of all rows.
template <class S, class R, class Space>
Matrix<R, Space> Embedding<S, R, Space>::d_out(const EmbeddingPass<S, R, Space>& pass) const {
    if (pass.pass != Pass::backward) return pass.stash;
    return stream_->whole(pass.d_stream, pass.workspace.buffer.stream);
}

template <class S, class R, class Space>
Rows Embedding<S, R, Space>::place_gradient(const EmbeddingPass<S, R, Space>& pass) const {
    const Matrix<R, Space> all = d_out(pass);
    if (all.data != pass.d_stream.data)
        store_rows(stream_->queue(), pass.d_stream, stream_->own_rows(all));
    return Rows(all);
}

template <class S, class R, class Space>
void Embedding<S, R, Space>::backward_tables(const EmbeddingPass<S, R, Space>& pass) const {
    const Matrix<R, Space> all = d_out(pass);
    token_embedding_backward<R>(stream_->queue(), pass.tokens, first_token_, all, tokens_.d_weight);
    position_embedding_backward<R>(stream_->queue(), stream_->first_row(), places_.span(),
                                   stream_->own_rows(all), positions_.d_weight);
}

template class Embedding<float>;
template class Embedding<double>;
template class Embedding<bf16>;
template class Embedding<fp16>;
template class Embedding<bf16, bf16>;
template class Embedding<float, float, Paced>;
template class Embedding<bf16, float, Paced>;
template class Embedding<fp16, float, Paced>;
template class Embedding<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Embedding<float, float, Cuda>;
template class Embedding<bf16, float, Cuda>;
template class Embedding<fp16, float, Cuda>;
template class Embedding<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
