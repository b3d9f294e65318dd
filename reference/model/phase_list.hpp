// SPDX-License-Identifier: BSD-3-Clause
// A builder for the list of phases of a pass.
#pragma once

#include <utility>
#include <vector>

#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// The phases of one pass under construction. A column-parallel product follows a gather of rows, a
/// row-parallel one precedes a sum; in the backward pass, the two are swapped.
class PhaseList {
  public:
    using Branch = UnitPhase::Branch;
    using CollectiveKind = PhaseTransfer::CollectiveKind;
    using Of = PhaseTransfer::Of;

    PhaseList(const PhaseShape& shape, Pass pass) : shape_(shape), pass_(pass) {}

    const PhaseShape& shape() const { return shape_; }
    Pass pass() const { return pass_; }
    void begin_branch(Branch branch) { branch_ = branch; }
    Branch branch() const { return branch_; }
    /// Number of transfers so far.
    int begun() const { return begun_; }

    /// Waits for all transfers so far, or for the first `needs` only.
    void add(Computation computation) { add(computation, begun_); }
    void add(Computation computation, int needs) {
        phases_.push_back({computation, branch_, needs, {}});
    }
    /// A step of a branch's middle; `step.needs` counts from transfer `before` on.
    void add_step(Computation computation, int number, const AttentionStep& step, int before) {
        add(computation, before + step.needs);
        phases_.back().step = number;
        phases_.back().pairs = step.pairs;
        if (step.transfer) transfer(*step.transfer);
    }
    /// Adds a transfer of the last computation's result.
    void transfer(const PhaseTransfer& one) {
        phases_.back().transfer = one;
        ++begun_;
    }
    /// Adds a transfer of the tensor group, if it has several ranks.
    void share(const PhaseTransfer& one) {
        if (shape_.tensor_ranks > 1) transfer(one);
    }
    /// Gathers all rows from the own rows of the last computation's result.
    void gather(Of of = Of::stored) {
        if (shape_.splits_rows)
            share({CollectiveKind::all_gather, shape_.rows, shape_.channels, of});
    }
    /// Reduces partial results to their sum, of which the own rows are needed.
    void reduce() {
        share({shape_.splits_rows ? CollectiveKind::reduce_scatter : CollectiveKind::sum,
               shape_.rows, shape_.channels});
    }

    std::vector<UnitPhase> take() { return std::move(phases_); }

  private:
    PhaseShape shape_;
    Pass pass_;
    Branch branch_ = Branch::attention;
    int begun_ = 0;
    std::vector<UnitPhase> phases_;
};

}  // namespace shardstone::reference
