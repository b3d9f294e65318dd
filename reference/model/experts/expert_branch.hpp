// SPDX-License-Identifier: BSD-3-Clause
// A mixture of experts as the second half of a transformer block.
#pragma once

#include <memory>
#include <vector>

#include "reference/model/block_branch.hpp"
#include "reference/model/experts/expert_part.hpp"
#include "reference/model/layer_source.hpp"
#include "reference/model/normed_linear.hpp"

namespace shardstone::reference {

/// out = x + sum over the K experts that a router picks for each position of p_e MLP_e(norm(x))
/// (ExpertOptions). Rows are sent to the ranks of their experts, and back, by all-to-alls (GShard:
/// Lepikhin et al. 2020; without a capacity: MegaBlocks, Gale et al. 2022). Tensor ranks share each
/// expert's hidden columns as for an MLP, so that an expert returns a partial sum; the router is
/// replicated on all of them and picks identically. Views only.
///
/// The gradient of the router's weights comes from the own rows of the stream, as for a norm.
template <class S, class R = compute_t<S>, class Space = Host>
class ExpertBranch : public BlockBranch<S, R, Space> {
  public:
    /// `source` is the same as for all layers.
    ExpertBranch(std::int64_t layer, const LayerSource<S, Space>& source);

    Computed compute(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const override;

  private:
    using Real = compute_t<S>;
    using Gates = ExpertActivations<S, Space>;

    /// Rows of one expert from one rank, contiguous among the received rows.
    struct Block {
        std::size_t expert = 0;
        std::int64_t first = 0;
        std::int64_t count = 0;

        Matrix<S, Space> of(Matrix<S, Space> rows) const { return rows.rows_from(first, count); }
    };
    struct Layers {
        LinearView<S, Space> projection, expansion;
    };

    Computed compute_forward(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const;
    Computed compute_backward(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const;
    Computed route(const BranchPass<S, R, Space>& pass) const;
    typename Space::Queue queue() const { return stream_->queue(); }
    void count_rows(const Gates& kept) const;
    Computed dispatch(const BranchPass<S, R, Space>& pass) const;
    void add_losses(const BranchPass<S, R, Space>& pass) const;

    void columns(const BranchPass<S, R, Space>& pass) const;
    void middle(const BranchPass<S, R, Space>& pass) const;
    Computed rows(const BranchPass<S, R, Space>& pass) const;
    Rows combine(const BranchPass<S, R, Space>& pass) const;
    void return_to_stream(const BranchPass<S, R, Space>& pass) const;

    Computed combine_gradient(const BranchPass<S, R, Space>& pass) const;
    Rows gate_gradient(const BranchPass<S, R, Space>& pass) const;
    void row_gradient(const BranchPass<S, R, Space>& pass) const;
    void middle_gradient(const BranchPass<S, R, Space>& pass) const;
    Computed input_gradient(const BranchPass<S, R, Space>& pass) const;
    Rows dispatch_gradient(const BranchPass<S, R, Space>& pass) const;
    void router_gradient(const BranchPass<S, R, Space>& pass) const;
    void row_weights(const BranchPass<S, R, Space>& pass) const;
    void column_weights(const BranchPass<S, R, Space>& pass) const;

    using Counts = std::vector<Real>;
    Counts row_counts(const Gates& kept) const;
    std::int64_t rows_for(const Counts& counts, std::int64_t from, const EvenShare& experts) const;
    EvenShare experts_of(std::int64_t rank) const;
    std::vector<Block> blocks(const Gates& kept) const;
    std::vector<std::int64_t> shares(const Gates& kept) const;
    Computed send(const Gates& kept, Matrix<S, Space> from, Matrix<S, Space> to) const;
    Computed send_back(const Gates& kept, Matrix<S, Space> from, Matrix<S, Space> to) const;
    BranchGradients<S, R, Space> gradients(const BranchPass<S, R, Space>& pass) const;
    Matrix<S, Space> d_out(const BranchPass<S, R, Space>& pass) const {
        return stream_->whole(pass.d_stream, pass.workspace.buffer.stored);
    }
    bool is_alone() const { return part_.ranks == 1; }

    ExpertPart part_;
    ExpertOptions options_;
    EvenShare channels_;  ///< of the projections' biases
    LinearView<S, Space> router_;
    NormedLinear<S, R, Space> norm_;
    std::vector<Layers> experts_;
    const SplitStream<Space>* stream_;
};

template <class S, class R, class Space>
std::unique_ptr<BlockBranch<S, R, Space>> make_experts(std::int64_t layer,
                                                       const LayerSource<S, Space>& source) {
    return std::make_unique<ExpertBranch<S, R, Space>>(layer, source);
}

extern template class ExpertBranch<float>;
extern template class ExpertBranch<double>;
extern template class ExpertBranch<bf16>;
extern template class ExpertBranch<fp16>;
extern template class ExpertBranch<bf16, bf16>;

}  // namespace shardstone::reference
