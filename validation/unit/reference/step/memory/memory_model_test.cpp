// SPDX-License-Identifier: BSD-3-Clause
// Predicted memory against what is allocated, to the byte.
#include "reference/step/memory_model.hpp"

#include <gtest/gtest.h>

#include "benchmarks/training/run/memory.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/model/gpt_part.hpp"
#include "reference/step/step_program.hpp"
#include "reference/trainer/optimizer.hpp"
#include "reference/trainer/parameter_memory.hpp"
#include "validation/unit/reference/step/memory/memory_specs.hpp"

namespace shardstone::validation {
namespace {

using reference::OptimizerKind;
using reference::Recompute;
using reference::StepSpec;

std::vector<StepSpec> specs_with_experts() {
    std::vector<StepSpec> all;
    for (const char* plan : {"dp=1", "tp=2,sp=1", "ep=2", "ep=4,zero=1", "dp=2,ep=2,zero=2",
                             "dp=2,ep=2,zero=3", "ep=2,tp=3,pp=2,zero=3,sp=1"}) {
        for (const double capacity : {0.0, 1.25}) {
            all.push_back(spec_of(plan, "1f1b"));
            all.back().model.experts = {4, 2, capacity};
        }
    }
    all.push_back(spec_of("ep=2,cp=2,zero=1"));
    all.back().model.experts = {4, 3, 0.0};
    all.push_back(spec_of("ep=2,pp=2", "zb-h1"));
    all.back().model.experts = {6, 2, 1.0};
    all.push_back(spec_of("dp=2,ep=2,pp=2,zero=3", "interleaved", 3));
    all.back().model.experts = {4, 1, 0.0};
    return all;
}

std::vector<StepSpec> specs() {
    std::vector<StepSpec> all;
    for (const char* plan :
         {"dp=1", "dp=2", "dp=2,zero=1", "dp=3,zero=2", "dp=2,zero=3", "tp=2", "tp=3", "tp=2,sp=1",
          "tp=3,sp=1", "pp=2", "pp=7", "dp=2,pp=2,zero=3", "dp=2,tp=2,zero=2",
          "dp=2,tp=2,pp=2,zero=1", "dp=2,tp=2,pp=2,zero=2,sp=1", "dp=2,tp=2,pp=2,zero=3"}) {
        all.push_back(spec_of(plan));
    }
    all.push_back(spec_of("dp=3,pp=2,zero=2", "gpipe"));
    all.push_back(spec_of("pp=3", "interleaved", 2));
    all.push_back(spec_of("dp=2,tp=2,pp=2,zero=3", "interleaved", 3));
    all.push_back(spec_of("pp=4", "zb-h1"));
    all.push_back(spec_of("dp=2,tp=2,pp=2,zero=2,sp=1", "zb-h2"));
    all.push_back(spec_of("dp=2,pp=2", "naive"));
    all.push_back(spec_of("pp=3"));
    all.back().pipeline.layers = {1, 4, 2};
    for (const StepSpec& spec : specs_with_experts()) all.push_back(spec);
    return all;
}

std::vector<StepSpec> specs_with_recomputation() {
    std::vector<StepSpec> all;
    for (const StepSpec& spec : specs()) {
        for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            if (recompute != Recompute::none && spec.pipeline.schedule.starts_with("zb")) continue;
            all.push_back(spec);
            all.back().recompute = recompute;
        }
    }
    return all;
}

std::string name_of(const StepSpec& spec, int rank) {
    return to_string(spec.plan) + " " + spec.pipeline.schedule + " " + to_string(spec.recompute) +
           " rank " + std::to_string(rank);
}

reference::TrainOptions options_of(const StepSpec& spec, OptimizerKind kind) {
    reference::TrainOptions options;
    static_cast<StepSpec&>(options) = spec;
    choose_optimizer(options, kind);
    return options;
}

/// All that the trainer allocates for a rank, but for its messages and a step's sums.
template <class Real>
struct Allocated {
    Allocated(const reference::TrainOptions& options, int rank)
        : at(coordinates_of(options.plan, rank)),
          part(part_of(options, rank)),
          layout(options.model, part),
          program(step_program(options, rank)),
          memory(HostQueue(), layout, options, at),
          model(HostQueue(), options.model, part,
                {options.batch.micro_batch, options.batch.sequence, program.slots,
                 program.gradient_slots, options.recompute, program.splits_backward},
                memory.group_memory()),
          optimizer(HostQueue(), options, layout, memory, at) {}

    std::int64_t bytes(const std::string& name) const {
        if (name == "weights") return memory.weights_bytes();
        if (name == "gradients") return memory.gradients_bytes();
        if (name == "optimizer") return optimizer.memory_bytes();
        if (name == "exact_sums") return memory.sums_bytes();
        return model.activations_bytes();
    }

    reference::Coordinates at;
    reference::ModelPart part;
    reference::ParameterLayout layout;
    reference::StepProgram program;
    reference::ParameterMemory<Real> memory;
    reference::GptPart<Real> model;
    reference::Optimizer<Real> optimizer;
};

template <class Real>
void expect_predicted(const reference::TrainOptions& options, int rank) {
    const std::int64_t before = Host::in_use_bytes();
    const Allocated<Real> allocated(options, rank);
    const auto predicted =
        predicted_memory(options, rank, memory_options(options.optimizer, sizeof(Real)));
    for (const auto& each : predicted) {
        if (each.name == "bookkeeping") continue;  // what is left, below
        EXPECT_EQ(each.bytes, allocated.bytes(each.name))
            << each.name << " " << name_of(options, rank);
    }
    EXPECT_EQ(predicted.size(), options.reproducible ? 6U : 5U);
    // The trainer's sums of a step: four losses of two FP64 each, a sum of squares, what is not
    // finite, the update's factors.
    constexpr std::int64_t of_trainer = 4 * 16 + 32 + 24 + 24;
    EXPECT_EQ(total_bytes(predicted), Host::in_use_bytes() - before + of_trainer)
        << name_of(options, rank);
}

TEST(MemoryModel, IsWhatIsAllocated) {
    int combination = 0;
    for (StepSpec spec : specs_with_recomputation()) {
        validate(spec);
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            spec.reproducible = ++combination % 2 == 0;
            const auto kind = static_cast<OptimizerKind>(combination % 6);
            if (combination % 5 == 0) {
                expect_predicted<double>(options_of(spec, kind), rank);
            } else {
                expect_predicted<float>(options_of(spec, kind), rank);
            }
        }
    }
    EXPECT_GT(combination, 200);
}

TEST(MemoryModel, AsksForTheSetsOfActivationsThatTheProgramUses) {
    for (const StepSpec& spec : specs()) {
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            const auto shape = shape_of(spec, rank);
            const auto program = step_program(spec, rank);
            EXPECT_EQ(shape.slots, program.slots) << name_of(spec, rank);
            EXPECT_EQ(shape.gradient_slots, program.gradient_slots) << name_of(spec, rank);
            EXPECT_EQ(shape.splits_backward, program.splits_backward) << name_of(spec, rank);
        }
    }
}

TEST(MemoryModel, CountsWhatTheLayoutHolds) {
    for (const StepSpec& spec : specs()) {
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            const reference::ParameterLayout layout(spec.model, part_of(spec, rank));
            EXPECT_EQ(parameter_counts(spec, rank).all, layout.count()) << name_of(spec, rank);
        }
    }
}

/// What one replica owns, the others own the rest of.
TEST(MemoryModel, SharesMakeUpTheWhole) {
    for (const char* plan : {"dp=2,zero=1", "dp=3,zero=3", "dp=4,zero=2", "dp=8,zero=3",
                             "ep=2,zero=1", "dp=3,ep=2,zero=2", "dp=2,ep=4,zero=3"}) {
        StepSpec spec = spec_of(plan);
        if (spec.plan.expert > 1) spec.model.experts = {4, 2};
        std::int64_t owned = 0;
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            owned += parameter_counts(spec, rank).owned;
        }
        EXPECT_EQ(owned, spec.model.parameter_count()) << plan;
    }
}

/// A trainer that kept everything, or a formula that shared out nothing, would be seen.
TEST(MemoryModel, EveryStageOfZeroIsSeen) {
    std::int64_t last = total_bytes(predicted_memory(spec_of("dp=3"), 0, {}));
    for (const char* plan : {"dp=3,zero=1", "dp=3,zero=2", "dp=3,zero=3"}) {
        const std::int64_t bytes = total_bytes(predicted_memory(spec_of(plan), 0, {}));
        EXPECT_LT(102 * bytes, 100 * last) << plan;
        last = bytes;
    }
}

}  // namespace
}  // namespace shardstone::validation
