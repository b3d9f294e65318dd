// SPDX-License-Identifier: BSD-3-Clause
// Tensor parallelism: the ranks of a tensor group share every layer.
//
// What is split:  attention by heads, the MLP by its 4C hidden columns, token embedding, logits
//                 and loss by the vocabulary, each as evenly as whole numbers allow; with sequence
//                 parallelism also what lies between the layers, by rows of the residual stream.
// What is sent:   sums of partial results, (N, C) each: after a row-parallel product going
//                 forward, before a column-parallel one going backward; in the head N maxima, N
//                 sums and N logits. With sequence parallelism a sum becomes a reduce-scatter of
//                 rows, with an all-gather on the other side of the layer, and one more in the
//                 backward pass for the rows of the norm's output that were not kept.
// When and why:   inside the passes, between their phases (model/unit_phases.hpp), which wait for
//                 them. Partial results travel and are added up in the type of the residual stream,
//                 the loss's in Real; what is gathered to be multiplied is in the storage type.
// What it costs:  per block and micro-batch 4 all-reduces of N C elements, or as many bytes as
//                 all-gathers and reduce-scatters; norms and biases are computed on every rank
//                 (without sequence parallelism), and so is all activation memory between layers.
//
// Shoeybi et al. 2019 (Megatron-LM); Korthikanti et al. 2023 (sequence parallelism).
#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = GroupTransfer::CollectiveKind;

/// With sequence parallelism the replicated parameters (norms, biases of row-parallel layers,
/// positions) see only the rank's own rows: their gradients are summed over the group before they
/// go anywhere else. Without it every rank computes the same gradient from all rows.
class SequenceParallel : public Strategy {
  public:
    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        const bool every_micro_batch = builder.state().sharding().gradients;
        if (!every_micro_batch && !pass.last_micro_batch) return;
        for (const std::size_t index : builder.finished_groups(pass)) {
            const ParameterGroup& group = builder.layout().groups()[index];
            if (group.replicated == 0) continue;
            const Range range{group.end() - group.replicated, group.replicated};
            builder.add_transfer({CollectiveKind::all_reduce, GroupTransfer::What::gradients,
                                  GroupKind::tensor, range},
                                 builder.reductions_of(range));
        }
    }
};

void require_enough_to_share(const StepSpec& spec) {
    const int ranks = spec.plan.tensor;
    require(spec.plan.sequence == 0 || ranks > 1, [&] {
        return fmt::format("plan {}: sequence parallelism works on tensor ranks; use tp=2 or more",
                           to_string(spec.plan));
    });
    require(spec.model.heads >= ranks, [&] {
        return fmt::format(
            "plan {}: {} attention heads are too few for {} tensor ranks; use at "
            "most tp={}",
            to_string(spec.plan), spec.model.heads, ranks, spec.model.heads);
    });
    const std::int64_t rows = least_positions(spec);
    require(spec.plan.sequence == 0 || rows >= ranks, [&] {
        return fmt::format(
            "plan {}: {} positions per micro-batch are too few for {} tensor ranks; "
            "use sp=0 or a larger --micro-batch",
            to_string(spec.plan), rows, ranks);
    });
}

const StrategyRegistration tensor_parallel_registration{{
    .order = 15,
    .name = "sequence parallel",
    .applies = [](const StepSpec& spec) { return spec.plan.sequence == 1; },
    .make = make_strategy<SequenceParallel>,
    .require = require_enough_to_share,
}};

}  // namespace

}  // namespace shardstone::reference
