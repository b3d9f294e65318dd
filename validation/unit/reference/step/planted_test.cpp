// SPDX-License-Identifier: BSD-3-Clause
// Whatever bug is planted in the program of one rank, the checker names rank, action and reason.
#include "validation/unit/reference/step/planted.hpp"

#include "kernels/base/error.hpp"
#include "reference/step/check/program_check.hpp"
#include "reference/step/state_layout.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {

using namespace reference;

TEST_P(Planted, IsNamed) {
    const Mutation& mutation = GetParam();
    const ParallelPlan plan = parse_plan(mutation.plan);
    StepSpec spec = small_spec(plan, 3 * plan.pipeline, 4);
    spec.pipeline.schedule = mutation.schedule;
    spec.recompute = mutation.recompute;
    spec.tensor_norms = mutation.tensor_norms;
    spec.precision.fp8_products = mutation.fp8;
    spec.pipeline.scatter_gather = mutation.scatter_gather;
    if (spec.model.experts.any()) spec.model.experts.capacity = mutation.capacity;
    validate(spec);
    auto programs = step_programs(spec);
    ASSERT_NO_THROW(check_step_programs(spec, programs));
    StepProgram& program = programs[static_cast<std::size_t>(mutation.rank)];
    Spoiler spoiler(spec, mutation.rank, program);
    mutation.plant(spoiler);
    program = spoiler.spoilt();
    try {
        check_step_programs(spec, programs);
        FAIL() << "not seen";
    } catch (const Error& error) {
        const std::string line = error.what();
        for (const char* words : {mutation.complaint, "rank ", "action "}) {
            EXPECT_NE(line.find(words), std::string::npos) << line;
        }
    }
}

namespace {

bool is_refused(const StepSpec& spec, const std::vector<StepProgram>& programs) {
    try {
        check_step_programs(spec, programs);
    } catch (const Error&) {
        return true;
    }
    return false;
}

/// Blocks 0 and 1 have as many replicated parameters: only the places tell which are summed.
TEST(TensorSum, OfOtherParametersThanTheOthersIsNamed) {
    const StepSpec spec = small_spec(parse_plan("tp=2,sp=1"), 3, 4);
    auto programs = step_programs(spec);
    const auto sum = transfer(GroupTransfer::What::gradients, GroupKind::tensor);
    for (const int rank : {0, 1}) {
        StepProgram& program = programs[static_cast<std::size_t>(rank)];
        Spoiler spoiler(spec, rank, program);
        const std::size_t last = spoiler.find(sum, 3);  // of block 0; that of block 1 is before
        spoiler.move(spoiler.find(sum, 2), rank == 0 ? last : last + 1);
        program = spoiler.spoilt();
    }
    try {
        check_step_programs(spec, programs);
        FAIL() << "not seen";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("is not about the same parameters as action"),
                  std::string::npos)
            << error.what();
    }
}

/// Rank 1 takes the first two micro-batches in the other order, which is right for it alone.
TEST(TensorSum, OfAnotherMicroBatchThanTheOthersIsNamed) {
    StepSpec spec = small_spec(parse_plan("tp=2"), 3, 4);
    spec.pipeline.schedule = "gpipe";
    auto programs = step_programs(spec);
    Spoiler spoiler(spec, 1, programs[1]);
    for (Action& action : spoiler.actions()) {
        const bool of_stage_pass = action.is_pass() || action.transfer.is_of_stage_pass();
        if (!of_stage_pass || action.micro_batch > 1) continue;
        action.micro_batch ^= 1;
        if (action.kind == Action::Kind::forward) {
            action.first_sample = action.micro_batch * spec.batch.micro_batch;
        }
    }
    programs[1] = spoiler.spoilt();
    try {
        check_step_programs(spec, programs);
        FAIL() << "not seen";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("of micro-batch 0, chunk 0, unit 0, but rank 1"),
                  std::string::npos)
            << error.what();
    }
}

/// Nothing in a program is superfluous or could happen twice; recomputing alone does no harm.
TEST(EveryAction, IsNeededExactlyOnce) {
    for (const char* plan : {"dp=2,tp=2,pp=2,sp=1", "dp=2,pp=2,zero=1", "dp=2,tp=2,zero=2,sp=1",
                             "dp=2,pp=2,zero=3", "tp=2,pp=3", "dp=2,ep=2", "dp=2,ep=2,zero=1",
                             "ep=2,tp=2,zero=2,sp=1", "dp=2,ep=2,zero=3"}) {
        StepSpec spec = small_spec(parse_plan(plan), 6, 3);
        spec.recompute = Recompute::full;
        spec.pipeline.scatter_gather =
            spec.plan.tensor > 1 && spec.plan.sequence == 0 && spec.plan.pipeline > 1;
        const Sharding sharding = sharding_of(spec);
        spec.tensor_norms = !sharding.gradients;
        spec.precision.fp8_products =
            sharding.gradients == sharding.optimizer && !spec.model.experts.any();
        const auto programs = step_programs(spec);
        const std::size_t rank = programs.size() - 1;
        for (std::size_t i = 0; i < programs[rank].actions.size(); ++i) {
            for (const bool twice : {false, true}) {
                auto spoilt = programs;
                Spoiler spoiler(spec, static_cast<int>(rank), spoilt[rank]);
                const Action::Kind kind = spoiler.at(i).kind;
                if (twice && kind == Action::Kind::recompute) continue;
                twice ? spoiler.insert(i + 1, spoiler.at(i)) : spoiler.erase(i);
                spoilt[rank] = spoiler.spoilt();
                EXPECT_TRUE(is_refused(spec, spoilt))
                    << plan << ": action " << i << " (" << to_string(kind)
                    << (twice ? ") twice" : ") left out");
            }
        }
    }
}

}  // namespace

}  // namespace shardstone::validation
