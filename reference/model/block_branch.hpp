// SPDX-License-Identifier: BSD-3-Clause
// What the two halves of a transformer block have in common.
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/rows.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// What a pass of a branch reads and writes.
template <class S, class R>
struct BranchPass {
    Pass pass;
    Matrix<R> x;                       ///< (N', C)
    const BranchActivations<S>& kept;  ///< of forward and recompute: filled
    Matrix<R> out;                     ///< (N', C)
    /// (N', C): the gradient of out on entry, of x on return; left alone by the second half of a
    /// backward pass, which takes all it needs from `stash`, where the first has put it.
    Matrix<R> d_stream;
    BranchGradients<S, R> stash;
    compute_t<S> gradient_scale;  ///< of losses that the branch itself adds
    const PassWorkspace<S, R>& workspace;
};

/// A branch of the residual stream, which it leaves and returns to. Views only.
template <class S, class R = compute_t<S>>
class BlockBranch {
  public:
    virtual ~BlockBranch() = default;
    /// Runs a computation of a pass, one of its middle's steps where it has several
    /// (unit_phases.hpp), and returns what it leaves for other ranks.
    virtual Computed compute(const UnitPhase& phase, const BranchPass<S, R>& pass) const = 0;
};

}  // namespace shardstone::reference
