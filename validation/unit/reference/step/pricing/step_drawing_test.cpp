// SPDX-License-Identifier: BSD-3-Clause
// The text and the picture of a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/base/error.hpp"
#include "reference/step/drawing/bars.hpp"
#include "reference/step/drawing/order.hpp"
#include "reference/step/drawing/timeline_svg.hpp"
#include "reference/step/pricing/fixed_costs.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

StepSpec two_by_two(const char* schedule) {
    StepSpec spec = small_spec(parse_plan("pp=2"), 2, 2);
    spec.pipeline.schedule = schedule;
    return spec;
}

/// The example of two devices and two micro-batches, as in reference/timelines/README.md.
TEST(Order, OfTwoStagesAndTwoMicroBatches) {
    EXPECT_EQ(order_of_passes(two_by_two("naive")),
              "stage 0   F0 .  .  .  B0 -- F1 .  .  .  B1 --\n"
              "stage 1   .  F0 B0 -- .  .  .  F1 B1 -- .  .\n");
    EXPECT_EQ(order_of_passes(two_by_two("gpipe")),
              "stage 0   F0 F1 .  .  .  B0 -- B1 --\n"
              "stage 1   .  F0 F1 B0 -- B1 -- .  .\n");
    EXPECT_EQ(order_of_passes(two_by_two("zb-h1")),
              "stage 0   F0 F1 .  B0 W0 B1 W1\n"
              "stage 1   .  F0 B0 F1 B1 W0 W1\n");
    EXPECT_EQ(order_of_events(two_by_two("gpipe")),
              "   0  stage 0 begins forward 0\n"
              "   1  stage 0 sends stream 0 to stage 1\n"
              "   1  stage 0 begins forward 1\n"
              "   1  stage 1 begins forward 0\n"
              "   2  stage 0 sends stream 1 to stage 1\n"
              "   2  stage 1 begins forward 1\n"
              "   3  stage 1 begins backward 0\n"
              "   5  stage 1 sends gradient 0 to stage 0\n"
              "   5  stage 0 begins backward 0\n"
              "   5  stage 1 begins backward 1\n"
              "   7  stage 1 sends gradient 1 to stage 0\n"
              "   7  stage 0 begins backward 1\n");
}

TEST(Order, IsCutOff) {
    EXPECT_EQ(order_of_passes(two_by_two("gpipe"), 3),
              "stage 0   F0 F1 . ...\nstage 1   .  F0 F1 ...\n");
    EXPECT_NE(order_of_events(two_by_two("gpipe"), 2).find("... and 10 more"), std::string::npos);
}

std::int64_t count(const std::string& text, const std::string& part) {
    std::int64_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

struct Played {
    explicit Played(const StepSpec& spec)
        : programs(step_programs(spec)),
          timeline(run_in_virtual_time(spec.plan, programs, FixedCosts(1, 1, 1))) {}
    std::vector<StepProgram> programs;
    Timeline timeline;
};

TEST(Bars, JoinTheUnitsOfATurnButNotOverAGap) {
    const Played run(two_by_two("gpipe"));
    const auto& played = run.timeline.spans[0];
    std::vector<ActionSpan> spans(played.begin(), played.end());
    const auto passes = [&] {
        return std::ranges::count(bars_of(run.programs[0], spans, 0.1), Bar::Row::computing,
                                  &Bar::row);
    };
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (run.programs[0].actions[i].is_pass()) {
            spans[i] = {static_cast<double>(i), static_cast<double>(i) + 0.95};
        }
    }
    EXPECT_EQ(passes(), 4);
    for (ActionSpan& span : spans) span.end_s -= span.end_s > span.begin_s ? 0.1 : 0.0;
    EXPECT_GT(passes(), 4);
}

TEST(TimelineSvg, HasOneRowPerRankAndStep) {
    const StepSpec spec = two_by_two("zb-h1");
    const Played run(spec);
    const auto& spans = run.timeline.spans;
    const std::string svg = timeline_svg("a <step>", spec.plan, run.programs,
                                         {{"predicted", spans}, {"measured", spans}});
    EXPECT_EQ(count(svg, ">rank 0 · stage 0<"), 2);
    EXPECT_EQ(count(svg, ">rank 1 · stage 1<"), 2);
    EXPECT_EQ(count(svg, "<title>backward_weight of micro-batch 1, chunk 0: from "), 4);
    EXPECT_NE(svg.find("a &lt;step&gt;"), std::string::npos);
    EXPECT_EQ(svg, timeline_svg("a <step>", spec.plan, run.programs,
                                {{"predicted", spans}, {"measured", spans}}));
}

// Of two ranks with two blocks and two micro-batches: keys pass once forward and once backward,
// their gradients once.
TEST(TimelineSvg, NamesWhatContextRanksPassOn) {
    const StepSpec spec = small_spec(parse_plan("cp=2"), 2, 2);
    FixedCosts costs(1, 1, 1);
    costs.transfer_time_s = 0.1;
    const auto programs = step_programs(spec);
    const Timeline timeline = run_in_virtual_time(spec.plan, programs, costs);
    const std::string svg = timeline_svg("", spec.plan, programs, {{"predicted", timeline.spans}});
    EXPECT_EQ(count(svg, "<title>context shift of stored rows [0, "), 2 * 2 * 2 * 2);
    EXPECT_EQ(count(svg, "<title>context shift of real rows [0, "), 2 * 2 * 2);
}

TEST(TimelineSvg, RefusesMoreRanksThanItDraws) {
    const std::vector<StepProgram> programs(65);
    try {
        timeline_svg("", parse_plan("dp=65"), programs, {});
        FAIL() << "not seen";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "a timeline of 65 ranks: at most 64 are drawn");
    }
}

}  // namespace
}  // namespace shardstone::validation
