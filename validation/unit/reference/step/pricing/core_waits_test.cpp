// SPDX-License-Identifier: BSD-3-Clause
// Waiting for cores that is planted in a step is told from slow links, and from computations.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/step/pricing/gap_split.hpp"
#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

struct Found {
    GapSplit parts;
    double step_s = 0.0;

    double operator[](GapPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

/// A step with links at half their rate between nodes, in which each rank looked late for `late` of
/// each transfer, at its end. Transfers begun together take place one after the other.
Found split_with_late_looks(const StepSpec& spec, double late) {
    const Machine machine = small_cluster(spec.plan.ranks());
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {.slow_link = 2.0}));
    std::vector<RankWaits> waits(programs.size());
    for (std::size_t rank = 0; rank < waits.size(); ++rank) {
        waits[rank].end_s = timeline.end_s;
        double before_s = 0.0;
        for (std::size_t i = 0; i < programs[rank].actions.size(); ++i) {
            if (!programs[rank].actions[i].is_communication()) continue;
            const auto [begun_s, end_s] = timeline.spans[rank][i];
            const double begin_s = std::max(begun_s, before_s);
            waits[rank].late_looks.push_back({end_s - late * (end_s - begin_s), end_s});
            before_s = end_s;
        }
    }
    const StepTimes times = times_of_step(spec, programs, timeline.spans, {}, waits);
    return {GapSplitter(spec, machine, {}, programs).split(times), timeline.end_s};
}

// What took as long as a slow link is waiting for cores as far as ranks were seen to be late, and
// never what the links take by their description.
TEST(CoreWaits, TellsWaitingForCoresFromASlowLink) {
    for (const char* plan : {"dp=8", "dp=5,zero=1"}) {
        StepSpec spec = small_spec(parse_plan(plan), 4, 6);
        spec.communication.overlap = false;  // all is exposed, one after the other
        const Found slow = split_with_late_looks(spec, 0.0);
        const Found some = split_with_late_looks(spec, 0.2);
        const Found all = split_with_late_looks(spec, 1.0);
        const double excess_s =
            slow[GapPart::slower_between_nodes] + slow[GapPart::slower_inside_nodes];
        EXPECT_GT(excess_s, 0.1 * slow.step_s) << plan;
        EXPECT_EQ(slow[GapPart::waiting_for_cores], 0.0) << plan;
        EXPECT_NEAR(all[GapPart::waiting_for_cores], excess_s, 0.01 * excess_s) << plan;
        EXPECT_NEAR(all[GapPart::slower_between_nodes], 0.0, 0.01 * excess_s) << plan;
        // A fifth of each transfer, but of one that is mostly latency no more than its excess. What
        // overlap could have hidden of the transfers is "overlap off".
        const double transfers_s = slow[GapPart::latency] + slow[GapPart::inside_nodes] +
                                   slow[GapPart::between_nodes] + slow[GapPart::overlap_off] +
                                   excess_s;
        EXPECT_LE(some[GapPart::waiting_for_cores], 0.2 * transfers_s * (1.0 + 1e-9)) << plan;
        EXPECT_GE(some[GapPart::waiting_for_cores], 0.9 * 0.2 * transfers_s) << plan;
        for (const GapPart part : {GapPart::between_nodes, GapPart::latency, GapPart::useful}) {
            EXPECT_NEAR(all[part], slow[part], 1e-6 * slow.step_s) << plan;
        }
    }
}

bool needs(const SharedList<Action>& actions, std::size_t action, std::size_t needed) {
    return action < actions.size() &&
           std::ranges::find(actions[action].needs, needed) != actions[action].needs.end();
}

/// A step of one rank of which each computation stood still for half of its time, before which
/// there was as much, and of which as much was before the first and after the last action.
TEST(CoreWaits, TakesWaitingForCoresOutOfComputations) {
    const StepSpec spec = small_spec(parse_plan("dp=1"), 4, 6);
    const Machine machine = small_cluster(1);
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    const Found plain{GapSplitter(spec, machine, {}, programs)
                          .split(times_of_step(spec, programs, timeline.spans, {})),
                      timeline.end_s};
    std::vector<ActionSpan> spans;
    RankWaits waits{-0.25, 0.0, {}, {}};  // the step begins before its first action
    double now_s = 0.0, waited_s = 0.0, alone_s = 0.0;
    for (std::size_t i = 0; i < programs[0].actions.size(); ++i) {
        const auto [begin_s, end_s] = timeline.spans[0][i];
        const double took_s = end_s - begin_s;
        spans.push_back({now_s, now_s + 2.0 * took_s});
        now_s += 2.5 * took_s;
        if (programs[0].actions[i].is_communication()) {
            // A group of one transfers nothing. A computation that needs it begins after it, and
            // what was before it is before no computation.
            if (needs(programs[0].actions, i + 1, i)) {
                alone_s += spans[i].end_s - spans[i - 1].end_s;
            }
            continue;
        }
        waits.computations.push_back({i == 0 ? 0.0 : 10.0, took_s});  // also while it had no task
        waited_s += took_s;
    }
    const double last_s = spans.back().end_s;
    waits.end_s = last_s + 0.5;
    const StepTimes times = times_of_step(spec, programs, StepSpans{SharedList<ActionSpan>(spans)},
                                          {}, std::vector{waits});
    EXPECT_DOUBLE_EQ(times.step_s, 0.25 + last_s + 0.5);
    const Found found{GapSplitter(spec, machine, {}, programs).split(times), times.step_s};
    EXPECT_NEAR(found[GapPart::useful], plain[GapPart::useful], 1e-9 * plain.step_s);
    EXPECT_NEAR(found[GapPart::optimizer], plain[GapPart::optimizer], 1e-9 * plain.step_s);
    const double between_s = last_s - 2.0 * waited_s - alone_s;
    EXPECT_NEAR(found[GapPart::waiting_for_cores], waited_s + between_s, 1e-9 * last_s);
    EXPECT_NEAR(found[GapPart::other], 0.75 + alone_s, 1e-9 * last_s);
}

/// A step of two ranks, of which one updates in half of the time: so it begins earlier, as the
/// other still ends the step before.
TEST(CoreWaits, ARankThatBeginsLaterLosesNothingByThat) {
    const StepSpec spec = small_spec(parse_plan("dp=2"), 4, 6);
    const Machine machine = small_cluster(2);
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, {}));
    std::vector<ActionSpan> early(timeline.spans[0].begin(), timeline.spans[0].end());
    const double earlier_s = 0.5 * (early.back().end_s - early.back().begin_s);
    ASSERT_GT(earlier_s, 1e-3 * timeline.end_s);
    early.back().end_s -= earlier_s;
    const auto& actions = programs[0].actions;
    const auto is_transfer = [&](std::size_t i) { return actions[i].is_communication(); };
    for (std::size_t i = 0; std::ranges::none_of(actions[i].needs, is_transfer); ++i) {
        early[i].begin_s -= earlier_s;
        if (!is_transfer(i)) early[i].end_s -= earlier_s;
    }
    const std::vector<RankWaits> waits{{-earlier_s, timeline.end_s - earlier_s, {}, {}},
                                       {0.0, timeline.end_s, {}, {}}};
    const StepTimes times = times_of_step(
        spec, programs, StepSpans{SharedList<ActionSpan>(early), timeline.spans[1]}, {}, waits);
    EXPECT_DOUBLE_EQ(times.step_s, timeline.end_s);
    EXPECT_NEAR(replayed_s(spec.plan, programs, times), timeline.end_s, 1e-9 * timeline.end_s);
    const Found found{GapSplitter(spec, machine, {}, programs).split(times), times.step_s};
    EXPECT_NEAR(found[GapPart::other], 0.0, 1e-9 * times.step_s);
}

}  // namespace
}  // namespace shardstone::validation
