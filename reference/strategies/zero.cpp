// SPDX-License-Identifier: BSD-3-Clause
// ZeRO: data parallelism whose replicas do not all keep the same (Rajbhandari et al., SC20).
//
// What is split:  stage 1: the optimizer's state; 2: the gradients, too; 3: the weights, too. Of
//                 every bucket each replica owns an even share.
// What is sent:   gradients by a reduce-scatter to their owners: once per step in stage 1, after
//                 every micro-batch in stages 2 and 3, which have nowhere to keep them. Weights by
//                 an all-gather: in stages 1 and 2 after the update; in stage 3 before each unit's
//                 passes, one unit ahead of the computation (overlap).
// When and why:   a bucket leaves as soon as its gradients are final. Blocks take turns on two
//                 buffers, and their experts on two others: the next is gathered into, or computed
//                 in, one of them while the other is in use; final norm and embeddings have buffers
//                 of their own, are gathered once per step and stay.
// What it costs:  with P replicas (dp cp ep, of experts dp cp), per rank (P - 1)/P of the
//                 parameters for the reduce-scatter and as much for the all-gather, like the
//                 all-reduce of plain data parallelism; stage 3 gathers blocks for the backward
//                 pass once more. Memory: step/memory_model.hpp.
#include <fmt/format.h>

#include <optional>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = GroupTransfer::CollectiveKind;
using What = GroupTransfer::What;

std::vector<std::size_t> transfer_group(ProgramBuilder& builder, CollectiveKind operation,
                                        What what, std::size_t group) {
    std::vector<std::size_t> transfers;
    const GroupKind over = replicas_of(builder.layout().groups()[group].kind);
    for (const Range& bucket : builder.state().buckets(group)) {
        // Of the group's other sums only those of this micro-batch are still under way: the tensor
        // ranks' of what each of them holds in full.
        auto needs =
            what == What::gradients ? builder.reductions_of(bucket) : std::vector<std::size_t>{};
        transfers.push_back(
            builder.add_transfer({operation, what, over, bucket}, std::move(needs)));
    }
    return transfers;
}

/// Stage 1, and what the others do alike.
class ShardedOptimizer : public Strategy {
  public:
    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        if (!pass.last_micro_batch || !builder.spec().communication.overlap) return;
        for (const std::size_t group : builder.finished_groups(pass)) {
            transfer_group(builder, CollectiveKind::reduce_scatter, What::gradients, group);
        }
    }
    void finish(ProgramBuilder& builder) override {
        if (builder.spec().communication.overlap) return;
        for (std::size_t g = 0; g < builder.layout().groups().size(); ++g) {
            transfer_group(builder, CollectiveKind::reduce_scatter, What::gradients, g);
        }
    }
    void after_update(ProgramBuilder& builder) override {
        for (std::size_t g = builder.layout().groups().size(); g-- > 0;) {
            transfer_group(builder, CollectiveKind::all_gather, What::weights, g);
        }
    }
};

/// Stage 2: a group's gradients leave after every micro-batch, and its buffer is free when they
/// have left.
class ShardedGradients : public ShardedOptimizer {
  public:
    void before(ProgramBuilder& builder, const UnitPass& pass) override {
        if (!pass.makes_gradients()) return;
        leaving_.resize(builder.state().group_buffers());
        for (const std::size_t group : builder.layout().groups_of(pass.what)) {
            auto& leaving = leaving_[builder.state().buffer_of_group(group)];
            builder.next_needs(leaving);
            leaving.clear();
        }
    }
    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        for (const std::size_t group : builder.finished_groups(pass)) {
            const auto transfers =
                transfer_group(builder, CollectiveKind::reduce_scatter, What::gradients, group);
            if (!builder.spec().communication.overlap) builder.next_needs(transfers);
            leaving_[builder.state().buffer_of_group(group)] = transfers;
        }
    }
    void finish(ProgramBuilder&) override {}

  private:
    std::vector<std::vector<std::size_t>> leaving_;  ///< per buffer
};

/// Stage 3: weights come before they are used.
class ShardedWeights : public ShardedGradients {
  public:
    void before(ProgramBuilder& builder, const UnitPass& pass) override {
        ShardedGradients::before(builder, pass);
        if (!pass.reads_weights()) return;
        content_.resize(builder.state().group_buffers());
        auto needs = gather(builder, pass.what);
        if (const auto next = next_unit(builder, pass)) {
            if (builder.spec().communication.overlap) gather(builder, *next);
        }
        builder.next_needs(needs);
    }
    void after_update(ProgramBuilder&) override {}

  private:
    struct HeldWeights {
        std::size_t group = 0;
        std::vector<std::size_t> gathers;
    };

    static std::optional<Unit> next_unit(const ProgramBuilder& builder, const UnitPass& pass) {
        if (pass.last_of_stage_pass) return std::nullopt;
        const auto chunk = static_cast<std::size_t>(pass.stage_pass.chunk);
        const int unit = pass.unit + (pass.is_forward() ? 1 : -1);
        const Unit next = builder.part().chunks[chunk].units()[static_cast<std::size_t>(unit)];
        const bool reads = pass.is_forward() || next.kind != Unit::Kind::embedding;
        return reads ? std::optional(next) : std::nullopt;
    }

    /// Begins to gather what is not there or on its way; returns what to wait for.
    std::vector<std::size_t> gather(ProgramBuilder& builder, const Unit& unit) {
        std::vector<std::size_t> all;
        for (const std::size_t group : builder.layout().groups_of(unit)) {
            auto& content = content_[builder.state().buffer_of_group(group)];
            if (!content || content->group != group) {
                content = HeldWeights{group, transfer_group(builder, CollectiveKind::all_gather,
                                                            What::weights, group)};
            }
            all.insert(all.end(), content->gathers.begin(), content->gathers.end());
        }
        return all;
    }

    std::vector<std::optional<HeldWeights>> content_;  ///< per buffer
};

void require_replicas(const StepSpec& spec) {
    require(spec.plan.zero == 0 || replicas(spec.plan) > 1, [&] {
        return fmt::format(
            "plan {}: ZeRO shards over replicas, and there is only one; use dp=2 or more, or "
            "zero=0",
            to_string(spec.plan));
    });
}

template <int stage>
bool is_stage(const StepSpec& spec) {
    return spec.plan.zero == stage;
}

const StrategyRegistration stage_1{{.order = 60,
                                    .name = "ZeRO-1",
                                    .applies = is_stage<1>,
                                    .make = make_strategy<ShardedOptimizer>,
                                    .require = require_replicas,
                                    .sharding = {.optimizer = true}}};
const StrategyRegistration stage_2{{.order = 60,
                                    .name = "ZeRO-2",
                                    .applies = is_stage<2>,
                                    .make = make_strategy<ShardedGradients>,
                                    .sharding = {.optimizer = true, .gradients = true}}};
// Before recomputation, which reads weights, too.
const StrategyRegistration stage_3{
    {.order = 20,
     .name = "ZeRO-3",
     .applies = is_stage<3>,
     .make = make_strategy<ShardedWeights>,
     .sharding = {.optimizer = true, .gradients = true, .weights = true}}};

}  // namespace

}  // namespace shardstone::reference
