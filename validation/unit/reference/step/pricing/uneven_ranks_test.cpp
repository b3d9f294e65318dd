// SPDX-License-Identifier: BSD-3-Clause
// The work of equal ranks is their median, and what the slowest takes beyond it is imbalance.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "reference/step/pricing/gap_split.hpp"
#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// Seconds of a rank's computations that are passes, or of the others.
double computing_s(const StepTimes& times, std::span<const StepProgram> programs, std::size_t rank,
                   bool passes) {
    double sum_s = 0.0;
    std::size_t at = 0;
    for (const Action& action : programs[rank].actions) {
        if (action.is_communication()) continue;
        const double time_s = times.computations[rank][at++].itself_s;
        if (action.is_pass() == passes) sum_s += time_s;
    }
    return sum_s;
}

/// A step of ranks that take `factors` times as long for equal work, and whose transfers take no
/// time: so it takes as long as the slowest rank.
struct UnevenRanks {
    UnevenRanks(const char* plan, const std::vector<double>& factors, bool paced = false)
        : spec(small_spec(parse_plan(plan), 4, 6)), programs(step_programs(spec)) {
        const Machine machine = small_cluster(spec.plan.ranks());
        const Timeline timeline =
            run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
        StepTimes times = times_of_step(spec, programs, timeline.spans, {});
        for (auto& [group, of_group] : times.transfers) {
            for (auto& one : of_group) one = {};
        }
        for (auto& [message, one] : times.messages) one = {};
        even = times;
        for (std::size_t rank = 0; rank < programs.size(); ++rank) {
            for (auto& one : times.computations[rank]) one.itself_s *= factors[rank];
        }
        times.step_s = replayed_s(spec.plan, programs, times);
        step_s = times.step_s;
        parts = GapSplitter(spec, machine, {}, programs, paced).split(times);
    }

    double operator[](GapPart part) const { return parts[static_cast<std::size_t>(part)]; }
    double passes_s(std::size_t rank) const { return computing_s(even, programs, rank, true); }
    double others_s(std::size_t rank) const { return computing_s(even, programs, rank, false); }

    StepSpec spec;
    std::vector<StepProgram> programs;
    StepTimes even;
    GapSplit parts{};
    double step_s = 0.0;
};

// The median of the factors: not their mean (6.6 and 6.75), nor the fastest one.
TEST(UnevenRanks, TakeTheMedianOfEqualRanksForTheirWork) {
    const std::vector<std::vector<double>> all{{20, 1, 3, 2, 7}, {1, 20, 4, 2}};
    for (const auto& factors : all) {
        const UnevenRanks uneven(factors.size() == 5 ? "dp=5" : "dp=4", factors);
        const double passes_s = uneven.passes_s(0), others_s = uneven.others_s(0);
        const double most_off_s = 1e-9 * uneven.step_s;
        EXPECT_GT(others_s, 1e-3 * passes_s);
        EXPECT_NEAR(uneven.step_s, 20.0 * (passes_s + others_s), most_off_s);
        EXPECT_NEAR(uneven[GapPart::useful], 3.0 * passes_s, most_off_s);
        EXPECT_NEAR(uneven[GapPart::optimizer], 3.0 * others_s, most_off_s);
        EXPECT_NEAR(uneven[GapPart::imbalance], 17.0 * (passes_s + others_s), most_off_s);
        EXPECT_NEAR(std::accumulate(uneven.parts.begin(), uneven.parts.end(), 0.0), uneven.step_s,
                    most_off_s);
    }
}

TEST(UnevenRanks, TakeTheFastestOfEqualDevicesForTheirWork) {
    const UnevenRanks uneven("dp=2", {1, 3}, true);
    const double passes_s = uneven.passes_s(0), others_s = uneven.others_s(0);
    const double most_off_s = 1e-9 * uneven.step_s;
    EXPECT_NEAR(uneven[GapPart::useful], passes_s, most_off_s);
    EXPECT_NEAR(uneven[GapPart::optimizer], others_s, most_off_s);
    EXPECT_NEAR(uneven[GapPart::imbalance], 2.0 * (passes_s + others_s), most_off_s);
}

// The slow rank has every transfer at once, the fast one after long, and both work long after them:
// no average of their work fits into the step. What the passes of one take beyond the mean of both
// is then no bubble of a pipeline, of which there is none.
TEST(UnevenRanks, HaveNoBubbleInOneStage) {
    StepSpec spec = small_spec(parse_plan("dp=2"), 4, 6);
    spec.communication.overlap = false;
    const auto programs = step_programs(spec);
    const Machine machine = small_cluster(2);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    StepTimes times = times_of_step(spec, programs, timeline.spans, {});
    const double passes_s = computing_s(times, programs, 0, true);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        std::size_t at = 0;
        for (const Action& action : programs[rank].actions) {
            if (action.is_communication()) continue;
            times.computations[rank][at++].itself_s *=
                (rank == 0 ? 3.0 : 1.0) * (action.is_pass() ? 1.0 : 1e3);
        }
    }
    for (auto& [group, of_group] : times.transfers) {
        for (auto& one : of_group) one = {.time_s = 1e4 * times.step_s, .sooner = {{0, 0.0}}};
    }
    times.step_s = replayed_s(spec.plan, programs, times);
    const GapSplit parts = GapSplitter(spec, machine, {}, programs).split(times);
    const double most_off_s = 1e-9 * times.step_s;
    EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), times.step_s, most_off_s);
    EXPECT_EQ(parts[static_cast<std::size_t>(GapPart::bubble)], 0.0);
    EXPECT_NEAR(parts[static_cast<std::size_t>(GapPart::useful)], 2.0 * passes_s, most_off_s);
    EXPECT_NEAR(parts[static_cast<std::size_t>(GapPart::imbalance)], passes_s, most_off_s);
    EXPECT_GT(passes_s, 1e3 * most_off_s);
}

// Stages differ in their work: each has a median of its own.
TEST(UnevenRanks, TakeTheMedianStageByStage) {
    constexpr std::array<double, 3> of_first{1, 3, 20}, of_last{6, 2, 5};
    const ParallelPlan plan = parse_plan("pp=2,dp=3");
    std::vector<double> factors;
    std::array<std::size_t, 2> a_rank{};
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        const Coordinates at = coordinates_of(plan, rank);
        const auto& of_stage = at.pipeline == 0 ? of_first : of_last;
        factors.push_back(of_stage[static_cast<std::size_t>(at.data)]);
        a_rank[static_cast<std::size_t>(at.pipeline)] = static_cast<std::size_t>(rank);
    }
    const UnevenRanks uneven("pp=2,dp=3", factors);
    const double first_s = uneven.passes_s(a_rank[0]), last_s = uneven.passes_s(a_rank[1]);
    EXPECT_GT(std::abs(last_s - first_s), 0.01 * first_s);
    EXPECT_NEAR(uneven[GapPart::useful], (3.0 * first_s + 5.0 * last_s) / 2.0,
                1e-9 * uneven.step_s);
}

}  // namespace
}  // namespace shardstone::validation
