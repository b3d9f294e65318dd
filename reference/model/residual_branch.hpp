// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/attention.hpp"
#include "reference/model/block_branch.hpp"
#include "reference/model/mlp.hpp"
#include "reference/model/normed_linear.hpp"

namespace shardstone::reference {

/// Half a block: out = x + bias + sum over tensor ranks of activated W^T, activated =
/// middle(norm(x) V^T), where `Middle` is AttentionMiddle or Mlp. The first product is
/// column-parallel, the second row-parallel, so that a pass communicates with the other ranks only
/// where it leaves the residual stream and where it returns (Shoeybi et al. 2019). Views only.
template <class S, class Middle, class R = compute_t<S>, class Space = Host>
class ResidualBranch : public BlockBranch<S, R, Space> {
  public:
    /// `stream` must outlive this.
    ResidualBranch(const NormedLinear<S, R, Space>& first, const Middle& middle,
                   const LinearLayer<S, Space>& second, const SplitStream<Space>& stream)
        : first_(first), middle_(middle), second_(second), stream_(&stream) {}

    Computed compute(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const override;

  private:
    void multiply_columns(const BranchPass<S, R, Space>& pass) const;
    Computed middle(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const;
    Rows multiply_rows(const BranchPass<S, R, Space>& pass) const;
    void return_to_stream(const BranchPass<S, R, Space>& pass) const;
    BranchGradients<S, R, Space> gradients(const BranchPass<S, R, Space>& pass) const;
    Rows place_gradient(const BranchPass<S, R, Space>& pass) const;
    void backward_rows(const BranchPass<S, R, Space>& pass) const;
    Rows backward_input(const BranchPass<S, R, Space>& pass) const;
    void backward_row_weights(const BranchPass<S, R, Space>& pass) const;
    void backward_norm(const BranchPass<S, R, Space>& pass) const;

    NormedLinear<S, R, Space> first_;
    Middle middle_;
    LinearLayer<S, Space> second_;
    const SplitStream<Space>* stream_;
};

template <class S, class R, class Space>
using AttentionBranch = ResidualBranch<S, AttentionMiddle<S, Space>, R, Space>;
template <class S, class R, class Space>
using MlpBranch = ResidualBranch<S, Mlp<S, Space>, R, Space>;

extern template class ResidualBranch<float, AttentionMiddle<float>>;
extern template class ResidualBranch<float, Mlp<float>>;
extern template class ResidualBranch<double, AttentionMiddle<double>>;
extern template class ResidualBranch<double, Mlp<double>>;
extern template class ResidualBranch<bf16, AttentionMiddle<bf16>>;
extern template class ResidualBranch<bf16, Mlp<bf16>>;
extern template class ResidualBranch<fp16, AttentionMiddle<fp16>>;
extern template class ResidualBranch<fp16, Mlp<fp16>>;
extern template class ResidualBranch<bf16, AttentionMiddle<bf16>, bf16>;
extern template class ResidualBranch<bf16, Mlp<bf16>, bf16>;

}  // namespace shardstone::reference
