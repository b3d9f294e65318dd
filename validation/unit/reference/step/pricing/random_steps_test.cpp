// SPDX-License-Identifier: BSD-3-Clause
// Steps as they are on a busy machine, at random: parts are shares of the step, and no change of it
// saves more than what it changes took.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "reference/step/pricing/gap_split.hpp"
#include "reference/step/pricing/what_if.hpp"
#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// Ranks begin one after another, transfers that share links end in any order and on each rank when
/// it looks, and everything takes longer now and then.
class BusyMachine : public StepCosts {
  public:
    BusyMachine(const PlanCosts& costs, unsigned seed) : costs_(costs), random_(seed) {}

    double compute_s(int rank, const Action& action) const override {
        return costs_.compute_s(rank, action) * longer();
    }
    double message_s(int sender, const Action& send) const override {
        return last_s_ = costs_.message_s(sender, send) * longer();
    }
    double transfer_s(int member, const GroupTransfer& transfer) const override {
        return last_s_ = costs_.transfer_s(member, transfer) * longer();
    }
    double begin_s(int rank) const override { return 1e-3 * (7 * rank % 5); }
    /// Some have it before others have begun, or the group's transfers before it had ended.
    double sooner_s(int rank) const override {
        return rank == 1 || rank == 2 ? 1.5 * share() * last_s_ : 0.0;
    }

    double share() const { return std::uniform_real_distribution<>()(random_); }

  private:
    double longer() const { return share() < 0.8 ? 1.0 : 1.0 + 10.0 * share(); }

    const PlanCosts& costs_;
    mutable std::mt19937 random_;
    mutable double last_s_ = 0.0;
};

/// One step of a plan, with when its ranks began and ended it, and were without a core.
struct RandomStep {
    RandomStep(const char* plan, bool overlap, unsigned seed)
        : spec(small_spec(parse_plan(plan), 4, 6)) {
        spec.communication.overlap = overlap;
        programs = step_programs(spec);
        const PlanCosts costs(spec, machine(), {});
        const BusyMachine busy(costs, seed);
        const Timeline timeline = run_in_virtual_time(spec.plan, programs, busy);
        std::vector<RankWaits> waits;
        for (std::size_t rank = 0; rank < programs.size(); ++rank) {
            waits.push_back(waits_of(timeline.spans[rank], programs[rank], busy));
            waits.back().begin_s = busy.begin_s(static_cast<int>(rank));
        }
        times = times_of_step(spec, programs, timeline.spans, {}, waits);
        since_all_began_s = std::ranges::max(waits, {}, &RankWaits::end_s).end_s -
                            std::ranges::max(waits, {}, &RankWaits::begin_s).begin_s;
    }

    static RankWaits waits_of(const SharedList<ActionSpan>& spans, const StepProgram& program,
                              const BusyMachine& busy) {
        RankWaits waits;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const auto [begin_s, end_s] = spans[i];
            waits.end_s = std::max(waits.end_s, end_s);
            if (program.actions[i].is_communication()) {
                waits.late_looks.push_back({end_s - busy.share() * (end_s - begin_s), end_s});
            } else {
                waits.computations.push_back({0.01 * busy.share(), busy.share() * 2e-3});
            }
        }
        std::ranges::sort(waits.late_looks);
        for (std::size_t i = 1; i < waits.late_looks.size(); ++i) {  // apart
            ActionSpan& one = waits.late_looks[i];
            one.begin_s = std::max(one.begin_s, waits.late_looks[i - 1].end_s);
            one.end_s = std::max(one.begin_s, one.end_s);
        }
        return waits;
    }

    Machine machine() const { return small_cluster(spec.plan.ranks()); }
    double replayed() const { return replayed_s(spec.plan, programs, times); }
    GapSplit split() const { return GapSplitter(spec, machine(), {}, programs).split(times); }

    /// What took all that the change may shorten, hidden or not.
    double changed_s(const std::string& change) const {
        const double links_s = moving_s(without_late_looks());
        const double late_s = moving_s(times) - links_s;
        if (change == "perfect overlap") return links_s + late_s;
        if (change != "a core for every rank") return links_s;
        double sum_s = late_s;
        for (const auto& of_rank : times.computations) {
            for (const auto& one : of_rank) sum_s += one.core_s;
        }
        return sum_s;
    }

    StepSpec spec;
    std::vector<StepProgram> programs;
    StepTimes times;
    double since_all_began_s = 0.0;

  private:
    StepTimes without_late_looks() const {
        StepTimes without = times;
        LinkPrices(spec, machine(), {}, programs)
            .shorten(LinkPiece::waiting_for_cores, 1.0, times, without);
        return without;
    }
    static double moving_s(const StepTimes& of) {
        double sum_s = 0.0;
        for (const auto& [group, all] : of.transfers) {
            for (const auto& one : all) sum_s += one.time_s;
        }
        for (const auto& [message, one] : of.messages) sum_s += one.time_s;
        return sum_s;
    }
};

template <class Expect>
void for_random_steps(Expect expect) {
    for (const char* plan : {"dp=4", "dp=5,zero=1", "dp=3,zero=3", "tp=2,dp=3", "pp=3,dp=2"}) {
        for (const bool overlap : {true, false}) {
            for (unsigned seed = 1; seed <= 6; ++seed) {
                SCOPED_TRACE(fmt::format("{}, {}, seed {}", plan, overlap, seed));
                expect(RandomStep(plan, overlap, seed));
            }
        }
    }
}

// A replay that is longer than the step, as ranks that began sooner than others wait twice, or all
// members of a transfer for the one that had it last, makes parts above the step, and negative
// ones.
TEST(RandomSteps, AreReplayedAsTheyWere) {
    for_random_steps([](const RandomStep& step) {
        EXPECT_NEAR(step.replayed(), step.since_all_began_s, 1e-9 * step.times.step_s);
        EXPECT_LE(step.since_all_began_s, step.times.step_s);
    });
}

TEST(RandomSteps, HavePartsThatAreShares) {
    for_random_steps([](const RandomStep& step) {
        const GapSplit parts = step.split();
        const double step_s = step.times.step_s;
        EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), step_s, 1e-9 * step_s);
        for (std::size_t part = 0; part < gap_part_count; ++part) {
            EXPECT_GE(parts[part], -1e-9 * step_s) << gap_part_names[part];
        }
    });
}

TEST(RandomSteps, SaveNoMoreThanWhatIsChangedTook) {
    for_random_steps([](const RandomStep& step) {
        const WhatIf what_if(step.spec, step.machine(), {}, step.programs);
        const auto changes = what_if.changes();
        const auto steps_s = what_if.steps_s(step.times);
        const double useful_s = step.split()[static_cast<std::size_t>(GapPart::useful)];
        for (std::size_t i = 0; i < changes.size(); ++i) {
            const double saved_s = step.times.step_s - steps_s[i];
            const std::string& name = changes[i].name;
            const bool may_cost = name == "another all-reduce";
            EXPECT_LE(saved_s, step.changed_s(name) + 1e-9) << name;
            EXPECT_GE(saved_s, may_cost ? -INFINITY : -1e-9) << name;
            EXPECT_GE(steps_s[i], useful_s - 1e-9) << name;
        }
    });
}

}  // namespace
}  // namespace shardstone::validation
