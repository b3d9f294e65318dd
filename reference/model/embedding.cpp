// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/embedding.hpp"

#include "kernels/transformer/embedding.hpp"

namespace shardstone::reference {

template <class S>
Rows Embedding<S>::compute(Computation computation, const EmbeddingPass<S>& pass) const {
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

template <class S>
Rows Embedding<S>::look_up(const EmbeddingPass<S>& pass) const {
    const Matrix<Real> partial = stream_->partial(pass.out, pass.workspace.room.real);
    token_embedding_forward<S>(pass.tokens, first_token_, tokens_.weight, partial);
    return Rows(partial);
}

template <class S>
void Embedding<S>::add_positions(const EmbeddingPass<S>& pass) const {
    const Matrix<Real> own =
        stream_->own_rows(stream_->partial(pass.out, pass.workspace.room.real));
    if (own.data != pass.out.data) copy_rows(own, pass.out);
    position_embedding_forward<S>(stream_->first_row(), sequence_, positions_.weight, pass.out);
}

/// Where the gradient of all rows comes to be.
template <class S>
auto Embedding<S>::d_out(const EmbeddingPass<S>& pass) const -> Matrix<Real> {
    if (pass.pass != Pass::backward) return pass.stash;
    return stream_->whole(pass.d_stream, pass.workspace.room.real);
}

template <class S>
Rows Embedding<S>::place_gradient(const EmbeddingPass<S>& pass) const {
    const Matrix<Real> all = d_out(pass);
    if (all.data != pass.d_stream.data) copy_rows(pass.d_stream, stream_->own_rows(all));
    return Rows(all);
}

template <class S>
void Embedding<S>::backward_tables(const EmbeddingPass<S>& pass) const {
    const Matrix<Real> all = d_out(pass);
    token_embedding_backward<Real>(pass.tokens, first_token_, all, tokens_.d_weight);
    position_embedding_backward<Real>(stream_->first_row(), sequence_, stream_->own_rows(all),
                                      positions_.d_weight);
}

template class Embedding<float>;
template class Embedding<double>;
template class Embedding<bf16>;
template class Embedding<fp16>;

}  // namespace shardstone::reference
