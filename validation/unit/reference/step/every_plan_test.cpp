// SPDX-License-Identifier: BSD-3-Clause
// Every plan that fits 64 ranks is proved: all counts of replicas, tensor ranks and stages up to 64
// ranks, each with some of what else there is to choose, and up to 8 ranks with all of it; and
// those with context ranks to 24, those with expert ranks to 16.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "kernels/base/error.hpp"
#include "reference/step/check/program_check.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::array recomputes{Recompute::none, Recompute::selective, Recompute::full};

/// What can be chosen beside the axes.
struct Choice {
    int stage = 0;  ///< of ZeRO
    int sequence = 0;
    double capacity = 1.25;  ///< of experts
    bool gathers = false;    ///< of context ranks: all-gather instead of a ring
    std::size_t schedule = 0;
    std::size_t recompute = 0;
    bool overlap = true;
    bool uneven = false;
    std::int64_t micro_batches = 1;
};

/// Whether the choice is one for the plan, and the plan with it. Layers are few, but three on some
/// stages, so that blocks take turns on ZeRO's places; if uneven, the first part has most.
std::optional<StepSpec> spec_of(ParallelPlan plan, const Choice& choice) {
    const PipelineSchedule& schedule = pipeline_schedules()[choice.schedule];
    const int chunks = schedule.takes_chunks ? 2 : 1;
    const bool wrong_axes = (choice.stage > 0 && replicas(plan) == 1) ||
                            (choice.sequence > 0 && plan.tensor == 1) ||
                            (chunks > 1 && plan.pipeline == 1);
    if (wrong_axes || (schedule.splits_backward && choice.recompute > 0)) return std::nullopt;
    plan.zero = choice.stage;
    plan.sequence = choice.sequence;
    std::int64_t micro_batches = choice.micro_batches;
    // What fills the rounds of interleaved, or the stages of zb-h2; more of it on few stages only.
    const bool few = plan.pipeline <= 8;
    if (chunks > 1) micro_batches = (few ? micro_batches % 2 + 1 : 1) * plan.pipeline;
    if (schedule.name == "zb-h2") micro_batches = 2 * plan.pipeline - (few ? 0 : 1);
    const int parts = plan.pipeline * chunks;
    StepSpec spec = small_spec(plan, parts + (choice.uneven ? 4 : 2), micro_batches);
    spec.pipeline.schedule = schedule.name;
    spec.pipeline.chunks = chunks;
    spec.recompute = recomputes[choice.recompute];
    if (spec.model.experts.any() && plan.context == 1) {
        spec.model.experts.capacity = choice.capacity;
    }
    if (choice.gathers) spec.choices = {{"context-attention", "all-gather"}};
    spec.communication.overlap = choice.overlap;
    // With overlap, so that programs with and without it are proved.
    const bool shares_out = plan.tensor > 1 && plan.pipeline > 1 && plan.sequence == 0;
    spec.pipeline.scatter_gather = shares_out && choice.overlap;
    if (choice.uneven) {
        spec.pipeline.layers.assign(static_cast<std::size_t>(parts), 1);
        spec.pipeline.layers.front() += 3;
        spec.pipeline.layers.back() += 1;
    }
    return spec;
}

class Proofs {
  public:
    void prove(const ParallelPlan& plan, const Choice& choice) {
        const auto spec = spec_of(plan, choice);
        if (!spec) return;
        try {
            validate(*spec);
            check_step_programs(*spec, step_programs(*spec));
            ++proved_;
        } catch (const Error& error) {
            ADD_FAILURE() << describe(*spec) << ": " << error.what();
        }
    }
    int proved() const { return proved_; }

  private:
    int proved_ = 0;
};

template <class Body>
void for_each_plan(int most_ranks, Body&& body) {
    for (int dp = 1; dp <= most_ranks; ++dp) {
        for (int tp = 1; dp * tp <= most_ranks; ++tp) {
            for (int pp = 1; dp * tp * pp <= most_ranks; ++pp) body(ParallelPlan{dp, tp, pp, 0, 0});
        }
    }
}

/// What goes on beside the stage, in turns of different lengths, so that all pairs come up.
Choice choice_in_turn(std::size_t number, const ParallelPlan& plan, int stage) {
    return {.stage = stage,
            .sequence = plan.tensor > 1 ? static_cast<int>(number / 2 % 2) : 0,
            .capacity = number / 4 % 2 == 0 ? 1.25 : 0.0,
            .gathers = number / 3 % 2 == 1,
            .schedule = number % pipeline_schedules().size(),
            .recompute = number / 3 % 3,
            .overlap = number / 5 % 3 > 0,
            .uneven = number / 7 % 2 == 1,
            .micro_batches = static_cast<std::int64_t>(1 + number % 3)};
}

TEST(EveryPlan, To64RanksIsProved) {
    Proofs proofs;
    std::size_t stage_pass = 0;
    for_each_plan(64, [&](const ParallelPlan& plan) {
        for (int stage = 0; stage <= (plan.data > 1 ? 3 : 0); ++stage, ++stage_pass) {
            proofs.prove(plan,
                         {.stage = stage,
                          .sequence = plan.tensor > 1 ? static_cast<int>(stage_pass / 2 % 2) : 0,
                          .schedule = stage_pass % pipeline_schedules().size(),
                          .recompute = stage_pass / 3 % 3,
                          .overlap = stage_pass / 5 % 3 > 0,
                          .uneven = stage_pass / 7 % 2 == 1,
                          .micro_batches = static_cast<std::int64_t>(1 + stage_pass % 4)});
        }
    });
    RecordProperty("proved", proofs.proved());
    EXPECT_GT(proofs.proved(), 1000);
}

TEST(EveryPlan, To24RanksIsProvedWithContextRanks) {
    Proofs proofs;
    std::size_t number = 0;
    for (const int context : {2, 3, 5, 8}) {
        for_each_plan(24 / context, [&](ParallelPlan plan) {
            plan.context = context;
            for (int stage = 0; stage <= 3; ++stage, ++number) {
                proofs.prove(plan, choice_in_turn(number, plan, stage));
            }
        });
    }
    RecordProperty("proved", proofs.proved());
    EXPECT_GT(proofs.proved(), 200);
}

TEST(EveryPlan, To16RanksIsProvedWithExpertRanks) {
    Proofs proofs;
    std::size_t number = 0;
    for (const auto& [expert, context] : {std::array{2, 1}, {3, 1}, {4, 1}, {8, 1}, {2, 2}}) {
        for_each_plan(16 / (expert * context), [&](ParallelPlan plan) {
            plan.expert = expert;
            plan.context = context;
            for (int turn = 0; turn < 12; ++turn, ++number) {
                proofs.prove(plan, choice_in_turn(number, plan, turn % 4));
            }
        });
    }
    RecordProperty("proved", proofs.proved());
    EXPECT_GT(proofs.proved(), 150);
}

TEST(EveryPlan, To8RanksIsProvedWithEveryChoice) {
    Proofs proofs;
    for_each_plan(8, [&](const ParallelPlan& plan) {
        for (int choice = 0; choice < 4 * 2 * 3 * 2 * 2 * 2; ++choice) {
            int rest = choice;
            const auto next = [&](int choices) {
                const int chosen = rest % choices;
                rest /= choices;
                return chosen;
            };
            Choice chosen{.stage = next(4), .sequence = next(2)};
            chosen.recompute = static_cast<std::size_t>(next(3));
            chosen.overlap = next(2) == 0;
            chosen.uneven = next(2) == 1;
            chosen.micro_batches = next(2) == 0 ? 1 : 4;
            for (std::size_t s = 0; s < pipeline_schedules().size(); ++s) {
                chosen.schedule = s;
                proofs.prove(plan, chosen);
            }
        }
    });
    RecordProperty("proved", proofs.proved());
    EXPECT_GT(proofs.proved(), 10000);
}

}  // namespace
}  // namespace shardstone::validation
