// SPDX-License-Identifier: BSD-3-Clause
// Lists the computations of a pass through embedding, block or head, and the collectives between.
#include "reference/model/unit_phases.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace shardstone::reference {

namespace {

using Branch = UnitPhase::Branch;
using CollectiveKind = PhaseTransfer::CollectiveKind;
using Of = PhaseTransfer::Of;

/// The phases of one pass under construction. A column-parallel product comes after rows are
/// gathered, a row-parallel one before a sum; going backward, the two change places.
class PhaseList {
  public:
    PhaseList(const PhaseShape& shape, Pass pass) : shape_(shape), pass_(pass) {}

    std::vector<UnitPhase> of(Unit::Kind unit) {
        if (unit == Unit::Kind::embedding) embedding();
        if (unit == Unit::Kind::block) block();
        if (unit == Unit::Kind::head) head();
        return std::move(phases_);
    }

  private:
    void embedding();
    void block();
    void head();
    void branch_forward();
    void branch_backward();
    void middle(Computation computation, const std::vector<AttentionStep>& steps);
    void input_gradient(Computation computation);
    void column_weights(int needs);

    /// Waits for all transfers so far, or for the first `needs` only.
    void add(Computation computation) { add(computation, begun_); }
    void add(Computation computation, int needs) {
        phases_.push_back({computation, branch_, needs, {}});
    }
    void transfer(const PhaseTransfer& one) {
        phases_.back().transfer = one;
        ++begun_;
    }
    /// Of the tensor group.
    void share(const PhaseTransfer& one) {
        if (shape_.tensor_ranks > 1) transfer(one);
    }
    /// The own rows of what the last computation has left become all rows.
    void gather(Of of = Of::stored) {
        if (shape_.splits_rows)
            share({CollectiveKind::all_gather, shape_.rows, shape_.channels, of});
    }
    /// Partial results become their sum, of which the own rows are needed.
    void reduce() {
        share({shape_.splits_rows ? CollectiveKind::reduce_scatter : CollectiveKind::sum,
               shape_.rows, shape_.channels});
    }

    PhaseShape shape_;
    Pass pass_;
    Branch branch_ = Branch::attention;
    int begun_ = 0;  ///< transfers
    std::vector<UnitPhase> phases_;
};

void PhaseList::embedding() {
    if (pass_ == Pass::forward) {
        add(Computation::embedding_lookup);
        reduce();
        add(Computation::embedding_positions);
    }
    if (makes_input_gradient(pass_)) {
        add(Computation::embedding_gradient_rows);
        gather(Of::stream);  // no product reads it
    }
    if (makes_weight_gradients(pass_)) add(Computation::embedding_weights);
}

void PhaseList::block() {
    const bool forward = pass_ == Pass::forward || pass_ == Pass::recompute;
    // What is computed again is all that the forward pass has not kept.
    const bool mlp_is_kept = pass_ == Pass::recompute && shape_.recompute != Recompute::full;
    if (pass_ == Pass::recompute && shape_.recompute == Recompute::none) return;
    if (forward) {
        branch_forward();
        branch_ = Branch::mlp;
        if (!mlp_is_kept) branch_forward();
    } else {
        branch_ = Branch::mlp;
        branch_backward();
        branch_ = Branch::attention;
        branch_backward();
    }
}

void PhaseList::branch_forward() {
    add(Computation::norm);
    gather();
    add(Computation::column_product);
    middle(Computation::middle, shape_.attention.forward);
    // Computed again, the branch's output is needed only where the next branch begins with it.
    const bool returns = pass_ == Pass::forward ||
                         (branch_ == Branch::attention && shape_.recompute == Recompute::full);
    if (!returns) return;
    add(Computation::row_product);
    reduce();
    add(Computation::residual);
}

/// An MLP's is one step without a transfer.
void PhaseList::middle(Computation computation, const std::vector<AttentionStep>& steps) {
    const int before = begun_;
    const std::size_t count = branch_ == Branch::attention ? steps.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
        const AttentionStep step = branch_ == Branch::attention ? steps[i] : AttentionStep{};
        add(computation, before + step.needs);
        phases_.back().step = static_cast<int>(i);
        phases_.back().pairs = step.pairs;
        if (step.transfer) transfer(*step.transfer);
    }
}

/// The products for the weights go on while the gradient of the input is summed.
void PhaseList::branch_backward() {
    if (makes_input_gradient(pass_)) {
        add(Computation::gradient_rows);
        gather();
    }
    const int gathered = begun_;
    if (makes_input_gradient(pass_)) {
        add(Computation::row_gradient);
        middle(Computation::middle_gradient, shape_.attention.backward);
    }
    if (makes_input_gradient(pass_)) input_gradient(Computation::input_gradient);
    if (makes_weight_gradients(pass_)) {
        add(Computation::row_weights, gathered);
        column_weights(gathered);
    }
    if (makes_input_gradient(pass_)) add(Computation::norm_gradient);
}

void PhaseList::input_gradient(Computation computation) {
    add(computation);
    reduce();
}

void PhaseList::column_weights(int needs) {
    add(Computation::norm_rows, needs);
    gather();  // again: only own rows of the norm's output are kept
    add(Computation::column_weights, shape_.splits_rows ? begun_ : needs);
    add(Computation::norm_weights);
}

void PhaseList::head() {
    if (pass_ == Pass::forward) {
        add(Computation::norm);
        gather();
        add(Computation::column_product);
        if (shape_.tensor_ranks == 1) {
            add(Computation::loss);
            return;
        }
        add(Computation::logits_maximum);
        share({CollectiveKind::maximum, shape_.rows, 1, Of::real});
        add(Computation::logits_sums);
        share({CollectiveKind::sum, shape_.rows, 2, Of::real});
        add(Computation::loss_of_sums);
    }
    if (makes_input_gradient(pass_)) input_gradient(Computation::loss_gradient);
    if (makes_weight_gradients(pass_)) column_weights(0);
    if (makes_input_gradient(pass_)) add(Computation::norm_gradient);
}

}  // namespace

std::vector<UnitPhase> phases_of(const PhaseShape& shape, Unit::Kind unit, Pass pass) {
    return PhaseList(shape, pass).of(unit);
}

UnitPhases::UnitPhases(const PhaseShape& shape) {
    for (std::size_t unit = 0; unit < phases_.size(); ++unit) {
        for (std::size_t pass = 0; pass < phases_[unit].size(); ++pass) {
            phases_[unit][pass] =
                phases_of(shape, static_cast<Unit::Kind>(unit), static_cast<Pass>(pass));
        }
    }
}

std::vector<PhaseRange> segments_of(const std::vector<UnitPhase>& phases) {
    std::vector<PhaseRange> segments;
    int waited = 0;
    bool begins = true;
    for (int i = 0; i < static_cast<int>(phases.size()); ++i) {
        const UnitPhase& phase = phases[static_cast<std::size_t>(i)];
        if (begins || phase.needs > waited) segments.push_back({i, 0});
        ++segments.back().count;
        waited = std::max(waited, phase.needs);
        begins = phase.transfer.has_value();
    }
    return segments;
}

}  // namespace shardstone::reference
