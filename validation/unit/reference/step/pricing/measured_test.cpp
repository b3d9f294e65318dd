// SPDX-License-Identifier: BSD-3-Clause
// Utilisation read from measured steps, and virtual time with measured passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "reference/step/pricing/fixed_costs.hpp"
#include "reference/step/pricing/measured_passes.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

template <class Change>
StepSpans changed(const StepSpans& spans, Change&& change) {
    StepSpans all;
    for (const auto& rank : spans) {
        std::vector<ActionSpan> each;
        std::ranges::transform(rank, std::back_inserter(each), change);
        all.emplace_back(std::move(each));
    }
    return all;
}

/// What was simulated, taken for measured, begins when it likes and gives the same again.
TEST(MeasuredPasses, GiveBackWhatWasSimulated) {
    for (const char* schedule : {"naive", "gpipe", "1f1b", "zb-h1"}) {
        StepSpec spec = small_spec(parse_plan("pp=3"), 4, 6);
        spec.pipeline.schedule = schedule;
        const auto programs = step_programs(spec);
        FixedCosts costs(2, 3, 1);
        costs.message_time_s = 0.25;
        const Timeline timeline = run_in_virtual_time(spec.plan, programs, costs);
        const StepSpans late = changed(timeline.spans, [](const ActionSpan& span) {
            return ActionSpan{span.begin_s + 7.0, span.end_s + 7.0};
        });
        EXPECT_NEAR(measured_utilisation(programs, late), timeline.utilisation, 1e-12) << schedule;
        const std::vector<StepSpans> steps{late, timeline.spans, late};
        const MeasuredPasses passes(programs, steps, costs);
        const Timeline again = run_in_virtual_time(spec.plan, programs, passes);
        EXPECT_NEAR(again.end_s, timeline.end_s, 1e-9) << schedule;
        EXPECT_NEAR(again.utilisation, timeline.utilisation, 1e-12) << schedule;
    }
}

/// One step in three that was disturbed does not count.
TEST(MeasuredPasses, TakeTheMedian) {
    const StepSpec spec = small_spec(parse_plan("pp=2"), 2, 2);
    const auto programs = step_programs(spec);
    const FixedCosts costs(1, 1, 1);
    const Timeline timeline = run_in_virtual_time(spec.plan, programs, costs);
    const StepSpans slow = changed(timeline.spans, [](const ActionSpan& span) {
        return ActionSpan{10 * span.begin_s, 10 * span.end_s};
    });
    const std::vector<StepSpans> steps{timeline.spans, slow, timeline.spans};
    EXPECT_NEAR(
        run_in_virtual_time(spec.plan, programs, MeasuredPasses(programs, steps, costs)).end_s,
        timeline.end_s, 1e-12);
}

}  // namespace
}  // namespace shardstone::validation
