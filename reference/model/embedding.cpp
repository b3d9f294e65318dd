// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/embedding.hpp"

#include "kernels/transformer/embedding.hpp"

namespace shardstone::reference {

template <class S>
void Embedding<S>::forward(std::span<const Token> tokens, Matrix<Real> out,
                           const Workspace<S>& workspace) const {
    const Matrix<Real> partial = stream_->partial(out, workspace.room.real);
    token_embedding_forward<S>(tokens, first_token_, tokens_.weight, partial);
    const Matrix<Real> own = stream_->reduced(partial);
    if (own.data != out.data) copy_rows(own, out);
    position_embedding_forward<S>(stream_->first_row(), sequence_, positions_.weight, out);
}

template <class S>
void Embedding<S>::backward(BackwardHalf half, std::span<const Token> tokens, Matrix<Real> d_stream,
                            Matrix<Real> stash, const Workspace<S>& workspace) const {
    if (half == BackwardHalf::input) {
        stream_->collected_copy(d_stream, stash);
        return;
    }
    const Matrix<Real> d_out =
        half == BackwardHalf::weights ? stash : stream_->collected(d_stream, workspace.room.real);
    token_embedding_backward<Real>(tokens, first_token_, d_out, tokens_.d_weight);
    position_embedding_backward<Real>(stream_->first_row(), sequence_, stream_->own_rows(d_out),
                                      positions_.d_weight);
}

template class Embedding<float>;
template class Embedding<double>;
template class Embedding<bf16>;
template class Embedding<fp16>;

}  // namespace shardstone::reference
