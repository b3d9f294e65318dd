// SPDX-License-Identifier: BSD-3-Clause
// Devices that go by clocks of their own lose nothing by ranks that note late what has come.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "reference/step/pricing/gap_split.hpp"
#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// The same computations, but each communication noted late, and begun late, by up to `most_s`.
StepSpans noted_late(std::span<const StepProgram> programs, const StepSpans& spans, double most_s) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> late(0.0, most_s);
    StepSpans all;
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
        std::vector<ActionSpan> of_rank;
        for (std::size_t i = 0; i < spans[rank].size(); ++i) {
            auto [begin_s, end_s] = spans[rank][i];
            if (programs[rank].actions[i].is_communication()) {
                end_s += late(generator);
                begin_s = std::min(end_s, begin_s + late(generator));
            }
            of_rank.push_back({begin_s, end_s});
        }
        all.emplace_back(std::move(of_rank));
    }
    return all;
}

class LateRanks : public ::testing::TestWithParam<const char*> {};

TEST_P(LateRanks, TakeNothingOffThePassesOfTheirDevices) {
    const StepSpec spec = small_spec(parse_plan(GetParam()), 4, 6);
    const auto programs = step_programs(spec);
    const Machine machine = small_cluster(spec.plan.ranks());
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    const StepTimes prompt = times_of_step(spec, programs, timeline.spans, {});
    const double most_off_s = 1e-9 * timeline.end_s;
    const StepTimes late = times_of_step(
        spec, programs, noted_late(programs, timeline.spans, 0.1 * timeline.end_s), {});
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
        ASSERT_EQ(late.computations[rank].size(), prompt.computations[rank].size());
        for (std::size_t at = 0; at < late.computations[rank].size(); ++at) {
            EXPECT_NEAR(late.computations[rank][at].itself_s,
                        prompt.computations[rank][at].itself_s, most_off_s)
                << "rank " << rank << ", computation " << at;
        }
    }
    // What none of them computes with may be noted late, at the end of the step.
    EXPECT_LE(replayed_s(spec.plan, programs, late), late.step_s + most_off_s);
    const auto useful = static_cast<std::size_t>(GapPart::useful);
    EXPECT_NEAR(GapSplitter(spec, machine, {}, programs, true).split(late)[useful],
                GapSplitter(spec, machine, {}, programs, true).split(prompt)[useful], most_off_s);
}

INSTANTIATE_TEST_SUITE_P(Plans, LateRanks,
                         ::testing::Values("dp=2", "pp=2", "dp=2,pp=2", "pp=3", "tp=2,pp=2",
                                           "dp=4,zero=3"));

}  // namespace
}  // namespace shardstone::validation
