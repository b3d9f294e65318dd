// SPDX-License-Identifier: BSD-3-Clause
// Lists the computations of a pass through embedding, block or head, and the collectives between.
#include "reference/model/unit_phases.hpp"

#include <algorithm>
#include <cstddef>

#include "reference/model/experts/expert_phases.hpp"
#include "reference/model/phase_list.hpp"

namespace shardstone::reference {

namespace {

using Branch = UnitPhase::Branch;
using CollectiveKind = PhaseTransfer::CollectiveKind;
using Of = PhaseTransfer::Of;

void add_embedding(PhaseList& list) {
    if (list.pass() == Pass::forward) {
        list.add(Computation::embedding_lookup);
        list.reduce();
        list.add(Computation::embedding_positions);
    }
    if (makes_input_gradient(list.pass())) {
        list.add(Computation::embedding_gradient_rows);
        list.gather(Of::stream);  // no product reads it
    }
    if (makes_weight_gradients(list.pass())) list.add(Computation::embedding_weights);
}

/// In a recomputation, a branch's output is needed only if the next branch starts from it.
bool returns(const PhaseList& list) {
    return list.pass() == Pass::forward ||
           (list.branch() == Branch::attention && list.shape().recompute == Recompute::full);
}

/// An MLP's is one step without a transfer.
void add_middle(PhaseList& list, Computation computation,
                const std::vector<AttentionStep>& attention) {
    const std::vector<AttentionStep> one(1);
    const auto& steps = list.branch() == Branch::attention ? attention : one;
    const int before = list.begun();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        list.add_step(computation, static_cast<int>(i), steps[i], before);
    }
}

void add_branch_forward(PhaseList& list) {
    list.add(Computation::norm);
    list.gather();
    list.add(Computation::column_product);
    add_middle(list, Computation::middle, list.shape().attention.forward);
    if (!returns(list)) return;
    list.add(Computation::row_product);
    list.reduce();
    list.add(Computation::residual);
}

void add_input_gradient(PhaseList& list, Computation computation) {
    list.add(computation);
    list.reduce();
}

void add_column_weights(PhaseList& list, int needs) {
    list.add(Computation::norm_rows, needs);
    list.gather();  // again: only own rows of the norm's output are kept
    list.add(Computation::column_weights, list.shape().splits_rows ? list.begun() : needs);
    list.add(Computation::norm_weights);
}

/// The products for the weights overlap with the sum of the input gradient.
void add_branch_backward(PhaseList& list) {
    const bool of_input = makes_input_gradient(list.pass());
    if (of_input) {
        list.add(Computation::gradient_rows);
        list.gather();
    }
    const int gathered = list.begun();
    if (of_input) {
        list.add(Computation::row_gradient);
        add_middle(list, Computation::middle_gradient, list.shape().attention.backward);
        add_input_gradient(list, Computation::input_gradient);
    }
    if (makes_weight_gradients(list.pass())) {
        list.add(Computation::row_weights, gathered);
        add_column_weights(list, gathered);
    }
    if (of_input) list.add(Computation::norm_gradient);
}

void add_block(PhaseList& list) {
    const Pass pass = list.pass();
    const Recompute recompute = list.shape().recompute;
    const bool has_experts = list.shape().experts.any();
    if (pass == Pass::recompute && recompute == Recompute::none) return;
    if (pass == Pass::forward || pass == Pass::recompute) {
        add_branch_forward(list);
        list.begin_branch(Branch::mlp);
        // Recomputes everything that the forward pass has not kept.
        if (pass == Pass::recompute && recompute != Recompute::full) return;
        has_experts ? add_experts_forward(list) : add_branch_forward(list);
    } else {
        list.begin_branch(Branch::mlp);
        has_experts ? add_experts_backward(list) : add_branch_backward(list);
        list.begin_branch(Branch::attention);
        add_branch_backward(list);
    }
}

void add_head(PhaseList& list) {
    if (list.pass() == Pass::forward) {
        list.add(Computation::norm);
        list.gather();
        list.add(Computation::column_product);
        if (list.shape().tensor_ranks == 1) {
            list.add(Computation::loss);
            return;
        }
        list.add(Computation::logits_maximum);
        list.share({CollectiveKind::maximum, list.shape().rows, 1, Of::real});
        list.add(Computation::logits_sums);
        list.share({CollectiveKind::sum, list.shape().rows, 2, Of::real});
        list.add(Computation::loss_of_sums);
    }
    if (makes_input_gradient(list.pass())) add_input_gradient(list, Computation::loss_gradient);
    if (makes_weight_gradients(list.pass())) add_column_weights(list, 0);
    if (makes_input_gradient(list.pass())) list.add(Computation::norm_gradient);
}

}  // namespace

std::vector<UnitPhase> phases_of(const PhaseShape& shape, Unit::Kind unit, Pass pass) {
    PhaseList list(shape, pass);
    if (unit == Unit::Kind::embedding) add_embedding(list);
    if (unit == Unit::Kind::block) add_block(list);
    if (unit == Unit::Kind::head) add_head(list);
    return list.take();
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
