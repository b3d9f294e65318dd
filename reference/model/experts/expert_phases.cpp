// SPDX-License-Identifier: BSD-3-Clause
// Lists the computations of a pass through the experts of a block, and the collectives between.
#include "reference/model/experts/expert_phases.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = PhaseList::CollectiveKind;
using Of = PhaseList::Of;

/// Sends rows to the ranks of their experts, or back.
void exchange(PhaseList& list) {
    const ExpertPart& experts = list.shape().experts;
    if (experts.ranks == 1) return;
    const auto kind =
        experts.has_capacity() ? CollectiveKind::all_to_all : CollectiveKind::all_to_all_v;
    list.transfer({kind, experts.sent_rows(), list.shape().channels, Of::stored, "expert"});
}

/// Number of picks of each expert in whole sequences, and number of rows of each rank for it.
void share_counts(PhaseList& list) {
    const ExpertPart& experts = list.shape().experts;
    list.add(Computation::route);
    if (experts.context_ranks > 1) {
        list.transfer(
            {CollectiveKind::sum, experts.sequences, experts.experts, Of::real, "context"});
    }
    if (experts.has_capacity() || experts.ranks == 1) return;
    list.add(Computation::row_counts);
    list.transfer({CollectiveKind::all_gather, experts.ranks, experts.experts, Of::real, "expert"});
}

}  // namespace

void add_experts_forward(PhaseList& list) {
    list.add(Computation::norm);
    list.gather();
    share_counts(list);
    list.add(Computation::dispatch);
    exchange(list);
    list.add(Computation::column_product);
    list.add(Computation::middle);
    list.add(Computation::row_product);
    exchange(list);
    if (list.pass() != Pass::forward) return;
    list.add(Computation::combine);
    list.reduce();
    list.add(Computation::residual);
}

void add_experts_backward(PhaseList& list) {
    const PhaseShape& shape = list.shape();
    const bool of_input = makes_input_gradient(list.pass());
    int arrived = 0;  // the gradients of the own experts' results
    if (of_input) {
        list.add(Computation::gradient_rows);
        list.gather();
        const int gathered = list.begun();
        list.add(Computation::combine_gradient);
        exchange(list);
        arrived = list.begun();
        list.add(Computation::gate_gradient, gathered);
        list.share({CollectiveKind::sum, shape.rows, shape.experts.top_k, Of::real});
        list.add(Computation::row_gradient, arrived);
        list.add(Computation::middle_gradient, arrived);
        list.add(Computation::input_gradient, arrived);
        exchange(list);
    }
    if (makes_weight_gradients(list.pass())) {
        list.add(Computation::row_weights, arrived);
        list.add(Computation::column_weights, arrived);
    }
    if (of_input) {
        list.add(Computation::dispatch_gradient);
        list.reduce();
        list.add(Computation::router_gradient);
    }
    if (makes_weight_gradients(list.pass())) {
        list.add(Computation::router_weights);
        list.add(Computation::norm_weights);
    }
    if (of_input) list.add(Computation::norm_gradient);
}

}  // namespace shardstone::reference
