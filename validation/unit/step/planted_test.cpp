// SPDX-License-Identifier: BSD-3-Clause
// Whatever bug is planted in the program of one rank, the checker names rank, action and reason.
#include "validation/unit/step/planted.hpp"

#include "kernels/base/error.hpp"
#include "reference/step/check/program_check.hpp"
#include "validation/unit/step/plans.hpp"

namespace shardstone::validation {

using namespace reference;

TEST_P(Planted, IsNamed) {
    const Mutation& mutation = GetParam();
    const ParallelPlan plan = parse_plan(mutation.plan);
    StepSpec spec = small_spec(plan, 3 * plan.pipeline, 4);
    spec.pipeline.schedule = mutation.schedule;
    spec.recompute = mutation.recompute;
    validate(spec);
    auto programs = programs_of(spec);
    ASSERT_NO_THROW(check_step_programs(spec, programs));
    Spoiler spoiler(spec, mutation.rank, programs[static_cast<std::size_t>(mutation.rank)]);
    mutation.plant(spoiler);
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

}  // namespace shardstone::validation
