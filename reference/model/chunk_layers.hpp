// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "reference/model/block_branch.hpp"
#include "reference/model/embedding.hpp"
#include "reference/model/head.hpp"
#include "reference/model/layer_source.hpp"

namespace shardstone::reference {

/// Inputs and outputs of a pass of a chunk's unit.
template <class S, class R, class Space>
struct ChunkPass {
    Pass pass;
    const ChunkActivations<S, R, Space>& at;
    Matrix<R, Space> d_stream;    ///< (N', C), for passes that compute gradients of inputs
    compute_t<S> gradient_scale;  ///< of backward passes
    const PassWorkspace<S, R, Space>& workspace;
    LossSums* sums;  ///< forward: receives the losses
};

/// The layers of one chunk, bound to their parameters: the computations of its units on the
/// activations of a micro-batch. Units are numbered as in ModelChunk::units().
template <class S, class R = compute_t<S>, class Space = Host>
class ChunkLayers {
  public:
    ChunkLayers(const ModelChunk& chunk, const LayerSource<S, Space>& source);

    /// One computation of a pass of a unit, which uses the results of the previous ones in the
    /// activations and the workspace.
    Computed compute(int unit, const UnitPhase& phase, const ChunkPass<S, R, Space>& pass) const;

  private:
    struct Block {
        std::unique_ptr<BlockBranch<S, R, Space>> attention, mlp;
    };

    static Block make_block(std::int64_t layer, const LayerSource<S, Space>& source);
    /// The block of a unit; -1 for the embedding, blocks_.size() for the head.
    std::int64_t block_of(int unit) const { return unit - (embedding_ ? 1 : 0); }
    Computed compute_block(std::size_t block, const UnitPhase& phase,
                           const ChunkPass<S, R, Space>& pass) const;

    std::optional<Embedding<S, R, Space>> embedding_;
    std::vector<Block> blocks_;
    std::optional<Head<S, R, Space>> head_;
};

extern template class ChunkLayers<float>;
extern template class ChunkLayers<double>;
extern template class ChunkLayers<bf16>;
extern template class ChunkLayers<fp16>;
extern template class ChunkLayers<bf16, bf16>;

}  // namespace shardstone::reference
