// SPDX-License-Identifier: BSD-3-Clause
// Step programs in virtual time idle as their schedules' closed forms say, and evaluation runs to
// its end with every micro-batch counted once.
#include "reference/step/timeline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "reference/step/pricing/fixed_costs.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;

/// Every stage pass takes as long, on all parts of the model; nothing else takes time.
class StagePassCosts : public StepCosts {
  public:
    StagePassCosts(double forward_s, double input_s, double weight_s)
        : forward_s_(forward_s), input_s_(input_s), weight_s_(weight_s) {}

    double compute_s(int, const Action& action) const override {
        if (!action.is_pass() || action.unit != 0) return 0.0;
        switch (action.kind) {
            case Kind::forward:
                return forward_s_;
            case Kind::backward:
                return input_s_ + weight_s_;
            case Kind::backward_input:
                return input_s_;
            default:
                return weight_s_;
        }
    }
    double message_s(int, const Action&) const override { return 0.0; }
    double transfer_s(int, const GroupTransfer&) const override { return 0.0; }

  private:
    double forward_s_, input_s_, weight_s_;
};

TEST(Timeline, IdlesAsTheScheduleSays) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const int chunks = schedule.takes_chunks ? 2 : 1;
        for (const int stages : {2, 3, 4}) {
            StepSpec spec = small_spec({1, 1, stages, 0, 0}, 2 * stages * chunks, 3 * stages);
            spec.pipeline.schedule = schedule.name;
            spec.pipeline.chunks = chunks;
            const auto programs = step_programs(spec);
            for (const auto& [f, b, w] : {std::array{1.0, 1.0, 1.0}, std::array{2.0, 3.0, 1.0}}) {
                const Timeline timeline =
                    run_in_virtual_time(spec.plan, programs, StagePassCosts(f, b, w));
                const PipelineShape shape{stages, chunks, spec.micro_batches()};
                EXPECT_NEAR(1.0 - timeline.utilisation, schedule.bubble(shape, f, b, w), 1e-12)
                    << describe(spec);
            }
        }
    }
}

/// Compute costs 1 s a stage pass, a transfer 5 s: several wait at a time, and go one after the
/// other.
TEST(Timeline, TransfersOfOneGroupNeverOverlap) {
    for (const char* plan : {"dp=2", "dp=3,zero=2", "dp=2,zero=3", "dp=2,tp=2,pp=2"}) {
        const StepSpec spec = small_spec(parse_plan(plan), 4, 2);
        const auto programs = step_programs(spec);
        FixedCosts costs(1.0, 1.0, 1.0);
        costs.transfer_time_s = 5.0;
        const Timeline timeline = run_in_virtual_time(spec.plan, programs, costs);
        for (std::size_t rank = 0; rank < programs.size(); ++rank) {
            std::map<GroupKind, std::vector<ActionSpan>> by_group;
            for (std::size_t i = 0; i < programs[rank].actions.size(); ++i) {
                const Action& action = programs[rank].actions[i];
                if (action.kind != Kind::transfer) continue;
                const RankGroup group(spec.plan, action.transfer.group, static_cast<int>(rank));
                if (group.size() < 2) continue;
                by_group[action.transfer.group].push_back(timeline.spans[rank][i]);
            }
            ASSERT_GE(by_group[GroupKind::data].size(), 2U) << plan;
            for (const auto& [group, spans] : by_group) {
                for (std::size_t i = 0; i < spans.size(); ++i) {
                    EXPECT_EQ(spans[i].end_s - spans[i].begin_s, 5.0) << plan;
                    if (i == 0) continue;
                    EXPECT_GE(spans[i].begin_s, spans[i - 1].end_s)
                        << plan << ", rank " << rank << ", " << to_string(group) << ", transfer "
                        << i;
                }
            }
        }
    }
}

TEST(Evaluation, RunsToItsEndWithEveryMicroBatchOnce) {
    for (const char* plan : {"dp=1", "dp=3", "dp=2,tp=2,pp=3,sp=1", "dp=3,pp=2,zero=3"}) {
        for (const std::int64_t micro_batches : {1, 4, 6}) {
            StepSpec spec = small_spec(parse_plan(plan), 8, 6);
            if (spec.plan.pipeline > 1) {
                spec.pipeline.schedule = "interleaved";
                spec.pipeline.chunks = 2;
            }
            std::vector<StepProgram> programs;
            std::map<std::int64_t, double> counted;
            for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
                programs.push_back(evaluation_program(spec, micro_batches, rank));
                const Coordinates at = coordinates_of(spec.plan, rank);
                if (at.tensor > 0 || at.pipeline > 0) continue;
                for (const Action& a : programs.back().actions) {
                    if (a.kind != Kind::forward || a.chunk > 0 || a.unit > 0 || !a.ends_pass) {
                        continue;
                    }
                    counted[a.first_sample / spec.batch.micro_batch] += a.scale;
                }
            }
            EXPECT_NO_THROW(run_in_virtual_time(spec.plan, programs, StagePassCosts(1, 1, 1)))
                << plan;
            EXPECT_EQ(std::ssize(counted), micro_batches) << plan;
            for (const auto& [micro_batch, times] : counted) EXPECT_EQ(times, 1.0) << micro_batch;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
