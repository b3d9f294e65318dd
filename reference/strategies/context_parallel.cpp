// SPDX-License-Identifier: BSD-3-Clause
// Context parallelism: ranks share out the positions of every sequence.
//
// What is split:  each sequence of the batch, as evenly as whole positions allow: in zigzag, so
// that
//                 the causal mask leaves every rank the same work, or in plain blocks, to compare.
//                 All ranks hold the same weights, so they are replicas to gradients and ZeRO.
// What is sent:   keys and values, and going backward their gradients, in a ring or by all-gather
//                 and reduce-scatter (model/context/context_attention.hpp). All else is done
//                 position by position. Gradients of weights are summed with those of the replicas.
// When and why:   inside the attention of every block, between its steps; in the ring a round's
//                 keys and values travel while the round before is attended to.
// What it costs:  per block and micro-batch of N = B T positions, each of P ranks sends about
//                 3 (P - 1)/P N 2C/tp elements, a third of them, the gradients, in Real. What is
//                 kept of activations falls as 1/P, with the ring the workspace as well.
//
// Liu et al. 2023 (Ring Attention); Dubey et al. 2024 (Llama 3), section 3.3.2.
#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/model/context/context_attention.hpp"
#include "reference/model/context/sequence_orders.hpp"
#include "reference/step/strategy.hpp"
#include "reference/step/strategy_choice.hpp"

namespace shardstone::reference {

namespace {

bool shares_sequences(const StepSpec& spec) {
    return spec.plan.context > 1;
}

const StrategyChoiceRegistration order_registration{{
    .name = "context-order",
    .words = {"zigzag", "blocks"},
    .text = "distribution of a sequence's positions over context ranks",
    .applies = shares_sequences,
    .needs = "a plan with cp=2 or more",
}};

const StrategyChoiceRegistration attention_registration{{
    .name = "context-attention",
    .words = {"ring", "all-gather"},
    .text = "exchange of keys and values between context ranks",
    .applies = shares_sequences,
    .needs = "a plan with cp=2 or more",
}};

void share_sequences(const StepSpec& spec, const Coordinates& at, ModelPart& part) {
    const bool zigzag = choice_of(spec, "context-order") == "zigzag";
    const bool ring = choice_of(spec, "context-attention") == "ring";
    part.sequence = {at.context, spec.plan.context, zigzag ? zigzag_positions : block_positions};
    part.attention = ring ? &ring_attention() : &gathered_attention();
}

void require_enough_positions(const StepSpec& spec) {
    require(spec.batch.sequence >= spec.plan.context, [&] {
        return fmt::format(
            "plan {}: sequences of {} positions are too short for {} context ranks; use at most "
            "cp={}",
            to_string(spec.plan), spec.batch.sequence, spec.plan.context, spec.batch.sequence);
    });
}

const GroupKindRegistration context_group_registration{GroupKind{{"context"}}, "context"};

const StrategyRegistration context_parallel_registration{{
    .order = 5,
    .name = "context parallel",
    .applies = shares_sequences,
    .make = make_strategy<Strategy>,
    .require = require_enough_positions,
    .shape_part = share_sequences,
}};

}  // namespace

}  // namespace shardstone::reference
