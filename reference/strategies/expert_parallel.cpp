// SPDX-License-Identifier: BSD-3-Clause
// Expert parallelism: replicas share out the experts of every block.
//
// What is split:  the E experts of each block, evenly over P ranks that are replicas to all else:
//                 each has sequences of its own, and all other weights.
// What is sent:   the rows of the positions to where their experts are, and what these make of them
//                 back; going backward the gradients of both, the other way. With a capacity, of
//                 equal lengths, places that nobody takes among them; without, as many as there
//                 are, which ranks tell each other first.
// When and why:   inside the passes of every block (model/experts/expert_phases.hpp), by
//                 all-to-alls over the expert ranks. Gradients of experts are then those of all P
//                 ranks' positions, and are summed over the replicas that hold the same experts;
//                 those of all other weights over all replicas.
// What it costs:  per block and micro-batch of N positions, each of which picks K experts, and with
//                 capacity factor f (1 without, if experts are picked evenly) each rank sends
//                 4 (P - 1)/P f K N C elements, 6 instead of 4 where whole blocks are computed
//                 again; without a capacity E numbers to each rank, with context ranks a sum of E
//                 for each sequence. Memory: an expert's rows for the most that may come
//                 (model/experts/expert_part.hpp); of experts' weights 1/P.
//
// Lepikhin et al. 2020 (GShard); Fedus et al. 2021 (Switch Transformer); Gale et al. 2022
// (MegaBlocks).
#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

void share_experts(const StepSpec& spec, const Coordinates& at, ModelPart& part) {
    part.expert_rank = at.expert;
    part.expert_ranks = spec.plan.expert;
}

void require_experts_to_share(const StepSpec& spec) {
    const std::int64_t experts = spec.model.experts.count;
    const int ranks = spec.plan.expert;
    require(ranks == 1 || experts > 1, [&] {
        return fmt::format("plan {}: the model has no experts to share; use --experts {} or ep=1",
                           to_string(spec.plan), ranks);
    });
    require(experts % ranks == 0, [&] {
        return fmt::format("plan {}: {} experts cannot be divided among {} ranks; use --experts {}",
                           to_string(spec.plan), experts, ranks,
                           (experts + ranks - 1) / ranks * ranks);
    });
    if (!spec.model.experts.any()) return;
    require(spec.model.experts.capacity == 0.0 || spec.plan.context == 1, [&] {
        return fmt::format(
            "--capacity {} with plan {}: no single rank knows the order of choices in a sequence; "
            "use --capacity 0 or cp=1",
            spec.model.experts.capacity, to_string(spec.plan));
    });
    require(!spec.precision.fp8_products, [&] {
        return fmt::format(
            "--experts {} with --precision {}: products of experts have no FP8 scales; use bf16",
            experts, spec.precision.name);
    });
}

// Alone: collectives that vary are made anew each time, and take tags that others may have in use.
// Of a group's own only one is under way at a time, and messages on one tag stay in order.
const GroupKindRegistration expert_group_registration{GroupKind{{"expert"}}, "expert", true};
const GroupKindRegistration expert_data_registration{GroupKind::expert_data, "expert data"};

const StrategyRegistration expert_parallel_registration{{
    .order = 6,
    .name = "expert parallel",
    .applies = [](const StepSpec& spec) { return spec.plan.expert > 1; },
    .make = make_strategy<Strategy>,
    .require = require_experts_to_share,
    .shape_part = share_experts,
}};

}  // namespace

}  // namespace shardstone::reference
