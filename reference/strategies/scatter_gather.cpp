// SPDX-License-Identifier: BSD-3-Clause
// Scatter and gather: tensor ranks share out what goes from stage to stage.
//
// What is split:  the rows of a message. Without sequence parallelism all tensor ranks of a stage
//                 hold the same residual stream, and each would send all of it.
// What is sent:   by each rank its even share of the rows, to its own counterpart; then an
//                 all-gather over the tensor group of the stage that has received them.
// When and why:   right after the receive. Links between stages carry 1/tp of the bytes, links
//                 within the tensor group (tp - 1)/tp of them: cheaper where tensor ranks share a
//                 node, and stages a slower network.
// What it costs:  that all-gather, for which the pass waits, per micro-batch and boundary, going
//                 forward and back.
//
// Narayanan et al. 2021 (Megatron-LM), section 4.1.
#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

class ScatterGather : public Strategy {
  public:
    /// The pipeline's receive, if there is one, has just been added.
    void before(ProgramBuilder& builder, const UnitPass& pass) override {
        const auto& actions = builder.actions();
        if (actions.empty() || actions.back().kind != Action::Kind::receive) return;
        Action gather = builder.of_stage_pass(Action::Kind::transfer, pass.unit);
        gather.message = actions.back().message;
        gather.transfer = gather_of_message(builder.spec(), builder.part());
        gather.needs = {actions.size() - 1};
        builder.next_needs(builder.add(std::move(gather)));
    }
};

void require_equal_streams(const StepSpec& spec) {
    if (!spec.pipeline.scatter_gather) return;
    const ParallelPlan& plan = spec.plan;
    require(plan.tensor > 1 && plan.pipeline > 1, [&] {
        return fmt::format(
            "--scatter-gather with plan {}: it distributes the messages between stages over tensor "
            "ranks; use tp=2 and pp=2 or more",
            to_string(plan));
    });
    require(plan.sequence == 0, [&] {
        return fmt::format(
            "--scatter-gather with plan {}: with sequence parallelism each tensor rank sends only "
            "its own rows anyway; omit it",
            to_string(plan));
    });
    const std::int64_t rows = least_positions(spec);
    require(rows >= plan.tensor, [&] {
        return fmt::format(
            "--scatter-gather with plan {}: {} positions per micro-batch are too few for {} tensor "
            "ranks; omit it or use a larger --micro-batch",
            to_string(plan), rows, plan.tensor);
    });
}

const StrategyRegistration scatter_gather_registration{{
    .order = 11,
    .name = "scatter and gather",
    .applies = [](const StepSpec& spec) { return spec.pipeline.scatter_gather; },
    .make = make_strategy<ScatterGather>,
    .require = require_equal_streams,
}};

}  // namespace

}  // namespace shardstone::reference
