// SPDX-License-Identifier: BSD-3-Clause
// Which steps of a training are split, each with what its own ranks loaded, and from what it was
// predicted: of steps whose times are planted.
#include "benchmarks/training/run/gap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using benchmarks::Gap;

constexpr std::int64_t micro_batches = 2;

double sum_of(const GapSplit& split) {
    return std::accumulate(split.begin(), split.end(), 0.0);
}

/// A training of two replicas whose micro-batches take longer to load from step to step: 1, 4, 9 ms
/// and so on, of two each step.
class GapOfSteps : public testing::Test {
  protected:
    GapOfSteps() { static_cast<StepSpec&>(options_) = small_spec(parse_plan("dp=2"), 2, 2); }

    static double load_s(std::int64_t step) { return 1e-3 * static_cast<double>(step * step); }

    /// What this rank would have noted, whose clock shows 1000 (r + 1) s when the training begins.
    std::optional<Gap> split(std::int64_t steps) {
        const auto programs = step_programs(options_);
        const auto rank = static_cast<std::size_t>(world().rank());
        const double origin_s = 1000.0 * (world().rank() + 1);
        std::vector<TraceEvent> events;
        std::vector<RankWaits> waits;
        std::vector<double> input_s;
        double begin_s = origin_s;
        for (std::int64_t step = 1; step <= steps; ++step) {
            const PlantedCosts costs(options_, machine_, {.input_s = load_s(step)});
            const Timeline timeline = run_in_virtual_time(options_.plan, programs, costs);
            for (std::size_t action = 0; action < timeline.spans[rank].size(); ++action) {
                const ActionSpan& span = timeline.spans[rank][action];
                events.push_back({step, action, begin_s + span.begin_s, begin_s + span.end_s});
            }
            waits.push_back({begin_s, begin_s + timeline.end_s, {}, {}});
            input_s.insert(input_s.end(), 2, micro_batches * load_s(step));
            begin_s += timeline.end_s;
        }
        return benchmarks::split_gap(world(), options_, machine_, programs[rank],
                                     {events, waits, input_s, origin_s}, steps);
    }

    TrainOptions options_;
    const Machine machine_ = small_cluster(2);
};

TEST_F(GapOfSteps, IsOfTheLastOnesWithWhatTheyLoaded) {
    constexpr auto input = static_cast<std::size_t>(GapPart::input);
    const auto gap = split(5);
    ASSERT_EQ(gap.has_value(), world().is_root());
    if (!gap) return;
    ASSERT_EQ(gap->steps.size(), 3U) << "the last half";
    for (std::size_t i = 0; i < 3; ++i) {
        const auto step = static_cast<std::int64_t>(i) + 3;
        EXPECT_NEAR(gap->steps[i][input], micro_batches * load_s(step), 1e-9) << step;
    }
    EXPECT_EQ(gap->predicted[input], 0.0);
    EXPECT_NEAR(gap->measured()[input], micro_batches * 1e-3 * (9.0 + 16.0 + 25.0) / 3.0, 1e-9);
}

// No rank waited for a core: what a step would be without that is what it was, on the mean of all.
TEST_F(GapOfSteps, ChangesTheirMean) {
    const auto gap = split(4);
    if (!gap) return;
    const auto found = std::ranges::find(gap->changed, "a core for every rank",
                                         [](const auto& one) { return one.change.name; });
    ASSERT_NE(found, gap->changed.end());
    EXPECT_NEAR(found->step_s, sum_of(gap->measured()), 1e-9);
    EXPECT_NEAR(found->predicted_s, sum_of(gap->predicted), 1e-9);
    EXPECT_GT(found->step_s, found->predicted_s + 0.01) << "loading was not predicted";
}

TEST_F(GapOfSteps, IsOfEightAtMost) {
    const auto gap = split(20);
    if (!gap) return;
    EXPECT_EQ(gap->steps.size(), 8U);
}

TEST_F(GapOfSteps, NamesTheMachineThatItWasPredictedOn) {
    const auto gap = split(1);
    if (!gap) return;
    EXPECT_EQ(gap->basis.cluster, machine_.cluster.name);
    EXPECT_EQ(gap->basis.source, machine_.cluster.source);
    EXPECT_EQ(gap->basis.flop_per_s, 3e7);
    EXPECT_EQ(gap->basis.memory_bytes_per_s, 3e8);
}

}  // namespace
}  // namespace shardstone::validation
