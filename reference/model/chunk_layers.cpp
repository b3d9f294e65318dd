// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/chunk_layers.hpp"

namespace shardstone::reference {

template <class S>
ChunkLayers<S>::ChunkLayers(const ModelChunk& chunk, const LayerSource<S>& source) {
    using Kind = ParameterGroup::Kind;
    const GptConfig& config = source.config;
    const std::int64_t first_token = source.part.vocabulary(config).first;
    if (chunk.embedding) {
        embedding_.emplace(
            source.tokens(),
            table_view<S>(config.context, config.channels, source.group(Kind::position)),
            first_token, source.attention.sequence, source.stream);
    }
    for (std::int64_t i = 0; i < chunk.layers; ++i) {
        blocks_.push_back(make_block(chunk.first_layer + i, source));
    }
    if (chunk.head) {
        head_.emplace(NormView<S>(source.layout.final_norm(), source.group(Kind::final_norm)),
                      source.tokens(), first_token, source.stream);
    }
}

template <class S>
typename ChunkLayers<S>::Block ChunkLayers<S>::make_block(std::int64_t layer,
                                                          const LayerSource<S>& source) {
    const BlockSlots& slots = source.layout.block();
    const GroupMemory<Real>& memory = source.group(ParameterGroup::Kind::block, layer);
    using Product = Fp8Tensor::Product;
    const auto linear = [&](const AffineSlot& slot, Product product) {
        return LinearLayer<S>(LinearView<S>(slot, memory),
                              {source.fp8, layer, product, source.fp8_room});
    };
    const auto normed = [&](const AffineSlot& norm, const LinearLayer<S>& layer_out) {
        return NormedLinear<S>(NormView<S>(norm, memory), layer_out, source.stream);
    };
    return {{normed(slots.norm1, linear(slots.qkv, Product::qkv)), Attention<S>(source.attention),
             linear(slots.attention_projection, Product::attention_projection), source.stream},
            {normed(slots.norm2, linear(slots.mlp_expansion, Product::mlp_expansion)), Mlp<S>(),
             linear(slots.mlp_projection, Product::mlp_projection), source.stream}};
}

template <class S>
double ChunkLayers<S>::forward(int unit, const ChunkActivations<S>& to,
                               const Workspace<S>& workspace) const {
    const std::int64_t index = block_of(unit);
    if (index < 0) {
        embedding_->forward(to.tokens, to.stream.front(), workspace);
        return 0.0;
    }
    const auto i = static_cast<std::size_t>(index);
    if (i == blocks_.size()) return head_->forward(to.stream[i], to.targets, to.head, workspace);
    const BlockActivations<S>& block = to.blocks[i];
    blocks_[i].attention.forward_internals(to.stream[i], block.attention, workspace);
    blocks_[i].attention.forward_return(to.stream[i], block.attention, block.middle, workspace);
    blocks_[i].mlp.forward_internals(block.middle, block.mlp, workspace);
    blocks_[i].mlp.forward_return(block.middle, block.mlp, to.stream[i + 1], workspace);
    return 0.0;
}

template <class S>
void ChunkLayers<S>::recompute(Recompute what, int unit, const ChunkActivations<S>& to,
                               const Workspace<S>& workspace) const {
    const std::int64_t index = block_of(unit);
    const auto i = static_cast<std::size_t>(index);
    if (index < 0 || i == blocks_.size() || what == Recompute::none) return;
    const BlockActivations<S>& block = to.blocks[i];
    blocks_[i].attention.forward_internals(to.stream[i], block.attention, workspace);
    if (what == Recompute::selective) return;
    blocks_[i].attention.forward_return(to.stream[i], block.attention, block.middle, workspace);
    blocks_[i].mlp.forward_internals(block.middle, block.mlp, workspace);
}

template <class S>
void ChunkLayers<S>::backward(BackwardHalf half, int unit, const ChunkActivations<S>& kept,
                              Matrix<Real> d_stream, Real gradient_scale,
                              const Workspace<S>& workspace) const {
    const std::int64_t index = block_of(unit);
    const auto i = static_cast<std::size_t>(index);
    if (index < 0) {
        embedding_->backward(half, kept.tokens, d_stream, kept.d_embedded, workspace);
    } else if (i == blocks_.size()) {
        head_->backward(half, kept.stream[i], kept.targets, kept.head, d_stream, gradient_scale,
                        workspace);
    } else {
        backward_block(half, i, kept, d_stream, workspace);
    }
}

template <class S>
void ChunkLayers<S>::backward_block(BackwardHalf half, std::size_t i,
                                    const ChunkActivations<S>& kept, Matrix<Real> d_stream,
                                    const Workspace<S>& workspace) const {
    const BlockActivations<S>& block = kept.blocks[i];
    const BlockGradients<S> stash =
        half == BackwardHalf::both ? BlockGradients<S>{} : kept.gradients[i];
    blocks_[i].mlp.backward(half, block.middle, block.mlp, d_stream, stash.mlp, workspace);
    blocks_[i].attention.backward(half, kept.stream[i], block.attention, d_stream, stash.attention,
                                  workspace);
}

template class ChunkLayers<float>;
template class ChunkLayers<double>;
template class ChunkLayers<bf16>;
template class ChunkLayers<fp16>;

}  // namespace shardstone::reference
