// SPDX-License-Identifier: BSD-3-Clause
// Builds the layers of a pipeline chunk over their weights; routes each computation to its layer.
#include "reference/model/chunk_layers.hpp"

#include <utility>

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/model/experts/expert_branch.hpp"
#include "reference/model/residual_branch.hpp"

namespace shardstone::reference {

template <class S, class R, class Space>
ChunkLayers<S, R, Space>::ChunkLayers(const ModelChunk& chunk,
                                      const LayerSource<S, Space>& source) {
    using Kind = ParameterGroup::Kind;
    const GptConfig& config = source.config;
    const std::int64_t first_token = source.part.vocabulary(config).first;
    if (chunk.embedding) {
        embedding_.emplace(
            source.tokens(),
            table_view<S, Space>(config.context, config.channels, source.group(Kind::position)),
            first_token, listed(source.part.sequence.positions(source.sequence)), source.stream);
    }
    for (std::int64_t i = 0; i < chunk.layers; ++i) {
        blocks_.push_back(make_block(chunk.first_layer + i, source));
    }
    if (chunk.head) {
        head_.emplace(
            NormView<S, Space>(source.layout.final_norm(), source.group(Kind::final_norm)),
            source.tokens(), first_token, source.stream);
    }
}

template <class S, class R, class Space>
typename ChunkLayers<S, R, Space>::Block ChunkLayers<S, R, Space>::make_block(
    std::int64_t layer, const LayerSource<S, Space>& source) {
    const auto queue = source.stream.queue();
    const BlockSlots& slots = source.layout.block();
    const GroupMemory<compute_t<S>>& memory = source.group(ParameterGroup::Kind::block, layer);
    using Product = Fp8Tensor::Product;
    const auto linear = [&](const AffineSlot& slot, Product product) {
        return LinearLayer<S, Space>(queue, LinearView<S, Space>(slot, memory),
                                     {source.fp8, layer, product, source.fp8_buffers});
    };
    const auto normed = [&](const AffineSlot& norm, const LinearLayer<S, Space>& layer_out) {
        return NormedLinear<S, R, Space>(NormView<S, Space>(norm, memory), layer_out,
                                         source.stream);
    };
    auto attention = std::make_unique<AttentionBranch<S, R, Space>>(
        normed(slots.norm1, linear(slots.qkv, Product::qkv)),
        AttentionMiddle<S, Space>(source.attention),
        linear(slots.attention_projection, Product::attention_projection), source.stream);
    if (source.config.experts.any()) {
        return {std::move(attention), make_experts<S, R, Space>(layer, source)};
    }
    return {std::move(attention),
            std::make_unique<MlpBranch<S, R, Space>>(
                normed(slots.norm2, linear(slots.mlp_expansion, Product::mlp_expansion)),
                Mlp<S, Space>(queue), linear(slots.mlp_projection, Product::mlp_projection),
                source.stream)};
}

template <class S, class R, class Space>
Computed ChunkLayers<S, R, Space>::compute(int unit, const UnitPhase& phase,
                                           const ChunkPass<S, R, Space>& pass) const {
    const auto& [of, at, d_stream, scale, workspace, sums] = pass;
    const std::int64_t index = block_of(unit);
    if (index < 0) {
        const EmbeddingPass<S, R, Space> embedding{of,       at.tokens.span(), at.stream.front(),
                                                   d_stream, at.d_embedded,    workspace};
        return {embedding_->compute(phase.computation, embedding)};
    }
    const auto i = static_cast<std::size_t>(index);
    if (i == blocks_.size()) {
        return head_->compute(phase.computation, {of, at.stream[i], at.targets.span(), at.head,
                                                  d_stream, scale, workspace, sums});
    }
    return compute_block(i, phase, pass);
}

template <class S, class R, class Space>
Computed ChunkLayers<S, R, Space>::compute_block(std::size_t i, const UnitPhase& phase,
                                                 const ChunkPass<S, R, Space>& pass) const {
    const BlockActivations<S, R, Space>& block = pass.at.blocks[i];
    const BlockGradients<S, R, Space> stash =
        pass.at.gradients.empty() ? BlockGradients<S, R, Space>{} : pass.at.gradients[i];
    if (phase.branch == UnitPhase::Branch::attention) {
        return blocks_[i].attention->compute(
            phase, {pass.pass, pass.at.stream[i], block.attention, block.middle, pass.d_stream,
                    stash.attention, pass.gradient_scale, pass.workspace, pass.sums});
    }
    return blocks_[i].mlp->compute(
        phase, {pass.pass, block.middle, block.mlp, pass.at.stream[i + 1], pass.d_stream, stash.mlp,
                pass.gradient_scale, pass.workspace, pass.sums});
}

template class ChunkLayers<float>;
template class ChunkLayers<double>;
template class ChunkLayers<bf16>;
template class ChunkLayers<fp16>;
template class ChunkLayers<bf16, bf16>;
template class ChunkLayers<float, float, Paced>;
template class ChunkLayers<bf16, float, Paced>;
template class ChunkLayers<fp16, float, Paced>;
template class ChunkLayers<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class ChunkLayers<float, float, Cuda>;
template class ChunkLayers<bf16, float, Cuda>;
template class ChunkLayers<fp16, float, Cuda>;
template class ChunkLayers<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
