// SPDX-License-Identifier: BSD-3-Clause
// A step with one thing changed by replay, against the same step priced with that thing different.
#include "reference/step/pricing/what_if.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// A step of a plan on the small cluster, as it was and with each change.
struct Changed {
    double step_s = 0.0;
    std::vector<StepChange> changes;
    std::vector<double> steps_s;

    double with(const std::string& name) const {
        const auto at = std::ranges::find(changes, name, &StepChange::name) - changes.begin();
        return steps_s.at(static_cast<std::size_t>(at));
    }
    std::string detail_of(const std::string& name) const {
        const auto found = std::ranges::find(changes, name, &StepChange::name);
        return found == changes.end() ? "none" : found->detail;
    }
};

Changed changed_step(const StepSpec& spec, const Planted& planted = {}) {
    const Machine machine = small_cluster(spec.plan.ranks());
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, planted));
    const WhatIf what_if(spec, machine, {}, programs);
    return {timeline.end_s, what_if.changes(),
            what_if.steps_s(times_of_step(spec, programs, timeline.spans, {}))};
}

double priced_s(const StepSpec& spec) {
    return run_in_virtual_time(spec.plan, step_programs(spec),
                               PlanCosts(spec, small_cluster(spec.plan.ranks()), {}))
        .end_s;
}

// Links at half their rate are cured by being as described. Twice as fast takes half of what the
// description has of their bytes, however slow they are: the same of a step with slow links.
TEST(WhatIf, LinksAsDescribedCureOnesAtHalfTheirRate) {
    for (const char* plan : {"dp=8", "dp=8,zero=3", "tp=2,dp=3", "pp=4,dp=2"}) {
        const StepSpec spec = small_spec(parse_plan(plan), 4, 6);
        const Changed slow = changed_step(spec, {.slow_link = 2.0});
        const Changed slower = changed_step(spec, {.slow_link = 3.0});
        EXPECT_EQ(slow.detail_of("slowest links twice as fast"), "between nodes");
        EXPECT_GT(slow.step_s, 1.05 * priced_s(spec)) << plan;
        for (const Changed& one : {slow, slower}) {
            EXPECT_NEAR(one.with("all links as described"), priced_s(spec), 0.02 * priced_s(spec))
                << plan;
            EXPECT_NEAR(one.with("a core for every rank"), one.step_s, 1e-9) << plan;
        }
        const double less_s = slow.step_s - slow.with("slowest links twice as fast");
        EXPECT_GT(less_s, 0.02 * priced_s(spec)) << plan;
        EXPECT_NEAR(slower.step_s - slower.with("slowest links twice as fast"), less_s,
                    0.15 * less_s)
            << plan;
    }
    const StepSpec inside = small_spec(parse_plan("dp=2"), 4, 6);
    EXPECT_EQ(changed_step(inside).detail_of("slowest links twice as fast"), "inside nodes");
}

// Without overlap a step is its computation and then its transfers: the longer of both remains.
TEST(WhatIf, PerfectOverlapLeavesTheLongerOfComputingAndSending) {
    StepSpec spec = small_spec(parse_plan("dp=4"), 4, 6);
    spec.communication.overlap = false;
    const PlanCosts costs(spec, small_cluster(4), {});
    double computing_s = 0.0, sending_s = 0.0;
    for (const Action& action : step_program(spec, 0).actions) {
        if (action.kind == Action::Kind::transfer) {
            const bool of_world = action.transfer.group == GroupKind::world;
            sending_s += of_world ? 0.0 : costs.transfer_s(0, action.transfer);
        } else {
            computing_s += costs.compute_s(0, action);
        }
    }
    const double longer_s = std::max(computing_s, sending_s);
    const Changed changed = changed_step(spec);
    EXPECT_GT(changed.step_s, 1.1 * longer_s);
    EXPECT_NEAR(changed.with("perfect overlap"), longer_s, 0.01 * longer_s);
}

// Messages between stages are no work of links that others could overlap with.
TEST(WhatIf, PerfectOverlapOfAPipelineHasNoMessages) {
    const StepSpec spec = small_spec(parse_plan("pp=4"), 4, 6);
    const Changed changed = changed_step(spec), slow = changed_step(spec, {.slow_link = 3.0});
    EXPECT_GT(slow.step_s, 1.05 * changed.step_s);
    EXPECT_NEAR(slow.with("perfect overlap"), changed.with("perfect overlap"),
                1e-6 * changed.step_s);
}

// Without overlap, a step with the quickest all-reduce is the quickest.
TEST(WhatIf, AnotherAllReduceIsTheQuickestOfTheOthers) {
    StepSpec spec = small_spec(parse_plan("dp=8"), 4, 6);
    spec.communication.overlap = false;
    const std::string own = spec.communication.all_reduce;
    spec.communication.all_reduce = changed_step(spec).detail_of("another all-reduce");
    const double quickest_s = priced_s(spec);
    for (const char* name : {"binomial_tree", "circulant", "linear", "rabenseifner",
                             "recursive_doubling", "ring", "swing"}) {
        if (name == own) continue;
        spec.communication.all_reduce = name;
        EXPECT_GE(priced_s(spec), quickest_s * (1.0 - 1e-9)) << name;
    }
}

TEST(WhatIf, AnotherAllReduceTakesWhatItIsPricedAt) {
    for (const char* plan : {"dp=8", "tp=2,dp=3", "pp=4,dp=2"}) {
        StepSpec spec = small_spec(parse_plan(plan), 4, 6);
        const Changed changed = changed_step(spec);
        const std::string other = changed.detail_of("another all-reduce");
        EXPECT_NE(other, spec.communication.all_reduce);
        spec.communication.all_reduce = other;
        EXPECT_NEAR(changed.with("another all-reduce"), priced_s(spec), 1e-6 * priced_s(spec))
            << plan << " by " << other;
    }
}

// It has no links, but may wait for its core beside other programs.
TEST(WhatIf, OneRankMayWaitForItsCore) {
    const StepSpec spec = small_spec(parse_plan("dp=1"), 4, 6);
    const Machine machine = small_cluster(1);
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    StepTimes times = times_of_step(spec, programs, timeline.spans, {});
    times.computations[0].front().core_s = 0.5;
    times.step_s += 0.5;
    const WhatIf what_if(spec, machine, {}, programs);
    ASSERT_EQ(what_if.changes().size(), 1U);
    EXPECT_EQ(what_if.changes()[0].name, "a core for every rank");
    ASSERT_EQ(what_if.steps_s(times).size(), 1U);
    EXPECT_NEAR(what_if.steps_s(times)[0], timeline.end_s, 1e-9);
}

// Of transfers that take a hundred times as long as their links need, as ranks have no core.
TEST(WhatIf, LinksSaveNothingOfWaitingForCores) {
    StepSpec spec = small_spec(parse_plan("dp=8"), 4, 6);
    spec.communication.overlap = false;
    const Machine machine = small_cluster(8);
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    const StepTimes before = times_of_step(spec, programs, timeline.spans, {});
    StepTimes times = before;
    double late_s = 0.0;
    for (auto& [group, transfers] : times.transfers) {
        for (auto& one : transfers) {
            one.late_s = 99.0 * one.time_s;
            one.time_s += one.late_s;
            late_s += one.late_s;
        }
    }
    times.step_s = replayed_s(spec.plan, programs, times);
    EXPECT_GT(times.step_s, before.step_s + 0.9 * late_s) << "groups wait at the same time";
    const WhatIf what_if(spec, machine, {}, programs);
    const Changed quiet{before.step_s, what_if.changes(), what_if.steps_s(before)};
    const Changed busy{times.step_s, what_if.changes(), what_if.steps_s(times)};
    for (const char* change : {"another all-reduce", "slowest links twice as fast"}) {
        EXPECT_GT(quiet.step_s - quiet.with(change), 0.01 * quiet.step_s) << change;
        EXPECT_NEAR(busy.step_s - busy.with(change), quiet.step_s - quiet.with(change),
                    1e-9 * busy.step_s)
            << change;
    }
    EXPECT_NEAR(busy.with("perfect overlap"), quiet.with("perfect overlap"), 1e-9 * busy.step_s);
}

// What both ranks stood still for, in a computation and with a message there.
TEST(WhatIf, ACoreForEveryRankTakesTheirWaitingAway) {
    const StepSpec spec = small_spec(parse_plan("dp=2"), 4, 6);
    const Machine machine = small_cluster(2);
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    const StepTimes before = times_of_step(spec, programs, timeline.spans, {});
    StepTimes times = before;
    for (auto& of_rank : times.computations) of_rank.front().core_s = 0.5;
    for (auto& [group, transfers] : times.transfers) {
        if (group.second != GroupKind::world) continue;
        transfers.back().time_s += 0.125;
        transfers.back().late_s = 0.125;
    }
    times.step_s = replayed_s(spec.plan, programs, times);
    EXPECT_NEAR(times.step_s, before.step_s + 0.5 + 0.125, 1e-9);
    const WhatIf what_if(spec, machine, {}, programs);
    const Changed changed{times.step_s, what_if.changes(), what_if.steps_s(times)};
    EXPECT_NEAR(changed.with("a core for every rank"), before.step_s, 1e-9);
    EXPECT_NEAR(changed.with("all links as described"), times.step_s, 1e-9);
}

TEST(WhatIf, KeepsWhatTheReplayDoesNotExplain) {
    const StepSpec spec = small_spec(parse_plan("dp=8"), 4, 6);
    const Machine machine = small_cluster(8);
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    StepTimes times = times_of_step(spec, programs, timeline.spans, {});
    const WhatIf what_if(spec, machine, {}, programs);
    const auto before = what_if.steps_s(times);
    times.step_s += 0.5;
    const auto after = what_if.steps_s(times);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(after[i] - before[i], 0.5, 1e-9);
    }
}

}  // namespace
}  // namespace shardstone::validation
