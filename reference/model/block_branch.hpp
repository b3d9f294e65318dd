// SPDX-License-Identifier: BSD-3-Clause
// The common interface of the two halves of a transformer block.
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/rows.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// Inputs and outputs of a pass of a branch.
template <class S, class R, class Space>
struct BranchPass {
    Pass pass;
    Matrix<R, Space> x;                       ///< (N', C)
    const BranchActivations<S, Space>& kept;  ///< filled by forward and recompute
    Matrix<R, Space> out;                     ///< (N', C)
    /// (N', C): the gradient of out on entry, of x on return; unchanged by the second half of a
    /// backward pass, which takes all its inputs from `stash`, filled by the first.
    Matrix<R, Space> d_stream;
    BranchGradients<S, R, Space> stash;
    compute_t<S> gradient_scale;  ///< of losses that the branch itself adds
    const PassWorkspace<S, R, Space>& workspace;
    LossSums* sums;  ///< forward: receives the branch's own losses
};

/// A branch that leaves the residual stream and returns to it. Views only.
template <class S, class R = compute_t<S>, class Space = Host>
class BlockBranch {
  public:
    virtual ~BlockBranch() = default;
    /// Runs a computation of a pass, or one step of its middle if that has several
    /// (unit_phases.hpp), and returns its result for other ranks.
    virtual Computed compute(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const = 0;
};

}  // namespace shardstone::reference
