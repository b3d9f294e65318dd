// SPDX-License-Identifier: BSD-3-Clause
// What the two halves of a transformer block have in common.
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/rows.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// What a pass of a branch reads and writes.
template <class S, class R, class Space>
struct BranchPass {
    Pass pass;
    Matrix<R, Space> x;                       ///< (N', C)
    const BranchActivations<S, Space>& kept;  ///< of forward and recompute: filled
    Matrix<R, Space> out;                     ///< (N', C)
    /// (N', C): the gradient of out on entry, of x on return; left alone by the second half of a
    /// backward pass, which takes all it needs from `stash`, where the first has put it.
    Matrix<R, Space> d_stream;
    BranchGradients<S, R, Space> stash;
    compute_t<S> gradient_scale;  ///< of losses that the branch itself adds
    const PassWorkspace<S, R, Space>& workspace;
    LossSums* sums;  ///< forward: what losses of the branch's own are added to
};

/// A branch of the residual stream, which it leaves and returns to. Views only.
template <class S, class R = compute_t<S>, class Space = Host>
class BlockBranch {
  public:
    virtual ~BlockBranch() = default;
    /// Runs a computation of a pass, one of its middle's steps where it has several
    /// (unit_phases.hpp), and returns what it leaves for other ranks.
    virtual Computed compute(const UnitPhase& phase, const BranchPass<S, R, Space>& pass) const = 0;
};

}  // namespace shardstone::reference
