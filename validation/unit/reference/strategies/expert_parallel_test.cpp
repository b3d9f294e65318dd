// SPDX-License-Identifier: BSD-3-Clause
// Expert parallelism in closed form: bytes and work; and what it refuses.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "reference/step/pricing/pass_work.hpp"
#include "reference/step/volume.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

const GroupKind expert{{"expert"}};
constexpr std::int64_t real_bytes = 4;

StepSpec spec_of(const char* plan, double capacity) {
    StepSpec spec = small_spec(parse_plan(plan), 4, 2);
    if (!spec.model.experts.any()) spec.model.experts = {4, 2};
    spec.model.experts.capacity = capacity;
    validate(spec);
    return spec;
}

std::int64_t sent_to_experts(const StepSpec& spec, int rank) {
    const WireFormat format(spec, real_bytes);
    return scheduled_bytes(spec, step_program(spec, rank), rank, format,
                           one_node(spec.plan, rank))[expert];
}

// Of a block and micro-batch: rows go and come, forward and backward; with whole blocks computed
// again they go and come once more. Of the rows that a rank has for all experts P - 1 of P leave.
TEST(ExpertParallel, WithACapacitySendsWhatItsHeaderSays) {
    for (const char* plan : {"ep=2", "ep=3", "dp=2,ep=2,tp=2,sp=1", "ep=4,pp=2,zero=2"}) {
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            for (const Storage storage : {Storage::full, Storage::bf16}) {
                StepSpec spec = spec_of(plan, 1.25);
                spec.recompute = recompute;
                spec.precision.storage = storage;
                const std::int64_t ranks = spec.plan.expert;
                const std::int64_t exchanges = recompute == Recompute::full ? 6 : 4;
                const ExpertOptions& experts = spec.model.experts;
                const std::int64_t rows =
                    experts.count * spec.batch.micro_batch * experts.slots(spec.batch.sequence);
                const std::int64_t row_bytes =
                    spec.model.channels * storage_bytes(storage, real_bytes);
                for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
                    const std::int64_t blocks = part_of(spec, rank).layers() * spec.micro_batches();
                    EXPECT_EQ(sent_to_experts(spec, rank),
                              blocks * exchanges * (ranks - 1) * (rows / ranks) * row_bytes)
                        << describe(spec) << " rank " << rank;
                }
            }
        }
    }
}

// Scheduled bytes are without what varies: of the counts each rank passes on P - 1 rows of E. What
// travels if experts are picked evenly is counted as traffic, by all ranks P - 1 times all rows.
TEST(ExpertParallel, WithoutACapacityCountsAreTold) {
    for (const Recompute recompute : {Recompute::none, Recompute::full}) {
        StepSpec spec = spec_of("dp=2,ep=3", 0.0);
        spec.recompute = recompute;
        const std::int64_t again = recompute == Recompute::full ? 1 : 0;
        const std::int64_t blocks = spec.model.layers * spec.micro_batches();
        const std::int64_t counts = blocks * (1 + again) * 2 * spec.model.experts.count * 4;
        const WireFormat format(spec, real_bytes);
        double traffic = 0.0;
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            EXPECT_EQ(sent_to_experts(spec, rank), counts);
            traffic += scheduled_traffic(spec, step_program(spec, rank), rank, format,
                                         one_node(spec.plan, rank))[expert]
                           .bytes();
        }
        const std::int64_t rows = spec.batch.micro_tokens() * spec.model.experts.top_k;
        const std::int64_t varying = blocks * (4 + 2 * again) * 2 * rows * spec.model.channels * 4;
        EXPECT_EQ(traffic, static_cast<double>(2 * varying + 6 * counts));
    }
}

TEST(ExpertParallel, AloneSendsNothing) {
    for (const char* plan : {"dp=2", "tp=2", "dp=2,pp=2,zero=3"}) {
        for (const double capacity : {0.0, 1.25}) {
            const StepSpec spec = spec_of(plan, capacity);
            EXPECT_EQ(sent_to_experts(spec, 0), 0) << plan;
        }
    }
}

double flop_of_block(const StepSpec& spec, int rank, Action::Kind kind) {
    const ModelPart part = part_of(spec, rank);
    Action action;
    action.kind = kind;
    action.unit = 1;
    action.phases = {
        0, static_cast<int>(
               phases_of(phase_shape(spec, part), Unit::Kind::block, action.pass()).size())};
    return pass_work(spec, part, action, real_bytes).flop;
}

// Beside what a block without an MLP has: 4 M C h of the products and 2 N C E of the router
// forward, twice that backward, but of the router for the own rows of the stream only.
TEST(ExpertParallel, WorkIsOfTheRowsThatComeAndOfTheRouter) {
    for (const char* plan : {"ep=2", "ep=2,tp=2", "ep=2,tp=3,sp=1"}) {
        for (const double capacity : {0.0, 1.25}) {
            const StepSpec spec = spec_of(plan, capacity);
            StepSpec dense = spec;
            dense.model.experts = {};
            const int rank = spec.plan.ranks() - 1;
            const ModelPart part = part_of(spec, rank);
            const ExpertOptions& experts = spec.model.experts;
            const std::int64_t n = spec.batch.micro_tokens(), c = spec.model.channels;
            const std::int64_t h = part.hidden(spec.model).count;
            const std::int64_t m = capacity == 0.0 ? n * experts.top_k
                                                   : experts.count * spec.batch.micro_batch *
                                                         experts.slots(spec.batch.sequence);
            const std::int64_t own = part.stream_rows(n).count;
            const auto more = [&](Action::Kind kind) {
                return flop_of_block(spec, rank, kind) - flop_of_block(dense, rank, kind);
            };
            const auto as_double = [](std::int64_t flop) { return static_cast<double>(flop); };
            EXPECT_EQ(more(Action::Kind::forward),
                      as_double(4 * (m - n) * c * h + 2 * n * c * experts.count))
                << plan;
            EXPECT_EQ(more(Action::Kind::backward),
                      as_double(8 * (m - n) * c * h + 4 * own * c * experts.count))
                << plan;
            EXPECT_EQ(more(Action::Kind::backward_input) + more(Action::Kind::backward_weight),
                      more(Action::Kind::backward));
        }
    }
}

std::string complaint(const char* plan, const ExpertOptions& experts,
                      const char* precision = "fp32") {
    StepSpec spec = small_spec(parse_plan(plan), 2, 2);
    spec.model.experts = experts;
    spec.precision = find_precision(precision);
    try {
        validate(spec);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(ExpertParallel, RefusesWhatCannotWork) {
    EXPECT_EQ(complaint("ep=2", {4, 2, 1.0}), "");
    EXPECT_EQ(complaint("cp=2", {4, 2, 0.0}), "");
    EXPECT_EQ(complaint("ep=2", {}),
              "plan ep=2: the model has no experts to share; use --experts 2 or ep=1");
    EXPECT_EQ(complaint("ep=3", {4, 2}),
              "plan ep=3: 4 experts cannot be divided among 3 ranks; use --experts 6");
    EXPECT_EQ(complaint("cp=2", {4, 2, 1.5}),
              "--capacity 1.5 with plan cp=2: no single rank knows the order of choices in a "
              "sequence; use --capacity 0 or cp=1");
    EXPECT_EQ(complaint("ep=2", {4, 2}, "fp8"),
              "--experts 4 with --precision fp8: products of experts have no FP8 scales; use bf16");
}

}  // namespace
}  // namespace shardstone::validation
