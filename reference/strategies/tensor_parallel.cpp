// SPDX-License-Identifier: BSD-3-Clause
#include "reference/strategies/tensor_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

using Operation = GroupTransfer::Operation;
using Kind = Action::Kind;

/// With sequence parallelism the replicated parameters (norms, biases of row-parallel layers,
/// positions) see only the rank's own rows: their gradients are summed over the group before they
/// go anywhere else. Without it every rank computes the same gradient from all rows.
class SequenceParallel : public Strategy {
  public:
    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        const bool every_micro_batch = builder.spec().plan.zero >= 2;
        if (!every_micro_batch && !pass.last_micro_batch) return;
        for (const std::size_t index : builder.finished_groups(pass)) {
            const ParameterGroup& group = builder.layout().groups()[index];
            if (group.replicated == 0) continue;
            const Range range{group.end() - group.replicated, group.replicated};
            builder.add_transfer(
                {Operation::all_reduce, GroupTransfer::What::gradients, GroupKind::tensor, range},
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
            "plan {}: {} attention heads do not go round {} tensor ranks; use at "
            "most tp={}",
            to_string(spec.plan), spec.model.heads, ranks, spec.model.heads);
    });
    const std::int64_t rows = spec.batch.micro_tokens();
    require(spec.plan.sequence == 0 || rows >= ranks, [&] {
        return fmt::format(
            "plan {}: {} positions per micro-batch do not go round {} tensor ranks; "
            "use sp=0 or a larger --micro-batch",
            to_string(spec.plan), rows, ranks);
    });
}

const StrategyRegistration registration{{
    .order = 15,
    .name = "sequence parallel",
    .applies = [](const StepSpec& spec) { return spec.plan.sequence == 1; },
    .make = make_strategy<SequenceParallel>,
    .require = require_enough_to_share,
}};

}  // namespace

std::vector<TensorTransfer> tensor_transfers(const StepSpec& spec, const Unit& unit, Kind pass) {
    const std::int64_t rows = spec.batch.micro_tokens();
    const std::int64_t channels = spec.model.channels;
    const bool sequence = spec.plan.sequence == 1;
    if (spec.plan.tensor == 1 || pass == Kind::backward_weight) return {};
    const TensorTransfer sum{sequence ? Operation::reduce_scatter : Operation::all_reduce, rows,
                             channels};
    const TensorTransfer collect{Operation::all_gather, rows, channels};
    const TensorTransfer per_row{Operation::all_reduce, rows, 1};
    std::vector<TensorTransfer> transfers;
    const auto add = [&](const TensorTransfer& transfer) { transfers.push_back(transfer); };
    const auto add_collect = [&] {
        if (sequence) add(collect);
    };
    const bool forward = pass == Kind::forward;
    switch (unit.kind) {
        case Unit::Kind::embedding:
            forward ? add(sum) : add_collect();
            return transfers;
        case Unit::Kind::head:
            if (!forward) return {sum};
            add_collect();
            transfers.insert(transfers.end(), 3, per_row);  // maximum, sum, target's logit
            return transfers;
        case Unit::Kind::block:
            break;
    }
    // Attention, then MLP; recomputation leaves out the last product of what it recomputes.
    add_collect();
    if (pass == Kind::recompute && spec.recompute == Recompute::selective) return transfers;
    add(sum);
    add_collect();
    if (pass != Kind::recompute) add(sum);
    return transfers;
}

}  // namespace shardstone::reference
