// SPDX-License-Identifier: BSD-3-Clause
// What step programs keep and send, counted action by action, against closed forms.
#include "reference/step/volume.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "reference/step/program_builder.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using What = GroupTransfer::What;
using CollectiveKind = GroupTransfer::CollectiveKind;

StepSpec spec_of(const char* plan, std::int64_t layers, std::int64_t micro_batches,
                 const char* schedule = "1f1b", int chunks = 1) {
    StepSpec spec = small_spec(parse_plan(plan), layers, micro_batches);
    spec.pipeline.schedule = schedule;
    spec.pipeline.chunks = chunks;
    validate(spec);
    return spec;
}

/// Most micro-batches of a chunk (-1: of all chunks together) between the beginning of their
/// forward pass and the end of their backward pass.
std::int64_t peak_live(const StepSpec& spec, const StepProgram& program, int rank, int chunk) {
    const ModelPart part = part_of(spec, rank);
    std::set<std::pair<int, std::int64_t>> live;
    std::size_t most = 0;
    for (const Action& a : program.actions) {
        if (chunk >= 0 && a.chunk != chunk) continue;
        if (a.kind == Kind::forward) live.insert({a.chunk, a.micro_batch});
        most = std::max(most, live.size());
        const bool is_last = a.kind == Kind::backward || a.kind == Kind::backward_weight;
        if (is_last && a.unit == 0) live.erase({a.chunk, a.micro_batch});
    }
    return static_cast<std::int64_t>(most);
}

TEST(Live, IsWhatTheScheduleSays) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        for (const int stages : {2, 3, 4, 7}) {
            const int chunks = schedule.takes_chunks ? 3 : 1;
            for (const std::int64_t rounds : {2, 3}) {
                const std::string plan = "pp=" + std::to_string(stages);
                const StepSpec spec = spec_of(plan.c_str(), stages * chunks, rounds * stages,
                                              schedule.name.c_str(), chunks);
                const PipelineShape shape{stages, chunks, spec.micro_batches()};
                for (int stage = 0; stage < stages; ++stage) {
                    const StepProgram program = step_program(spec, stage);
                    EXPECT_EQ(peak_live(spec, program, stage, -1), schedule.live(shape, stage))
                        << describe(spec) << " stage " << stage;
                    for (int chunk = 0; chunk < chunks; ++chunk) {
                        EXPECT_EQ(peak_live(spec, program, stage, chunk),
                                  program.slots[static_cast<std::size_t>(chunk)])
                            << describe(spec) << " stage " << stage << " chunk " << chunk;
                    }
                }
            }
        }
    }
}

struct Traffic {
    std::int64_t messages = 0;
    std::int64_t elements = 0;
};

Traffic traffic_of(const StepSpec& spec) {
    Traffic traffic;
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        const auto rows = part_of(spec, rank).stream_rows(spec.batch.micro_tokens()).count;
        for (const Action& a : step_program(spec, rank).actions) {
            if (a.kind != Kind::send) continue;
            ++traffic.messages;
            traffic.elements += rows * spec.model.channels;
        }
    }
    return traffic;
}

/// Bytes of all ranks.
struct TrafficOfKinds {
    std::int64_t messages = 0;
    std::int64_t tensor = 0;
};

TrafficOfKinds traffic_of_kinds(const StepSpec& spec) {
    TrafficOfKinds all;
    const WireFormat format(spec, sizeof(float));
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        const auto sent = scheduled_bytes(spec, step_program(spec, rank), rank, format,
                                          one_node(spec.plan, rank));
        all.messages += sent[GroupKind::pipeline];
        all.tensor += sent[GroupKind::tensor];
    }
    return all;
}

/// Over each of the parts - 1 borders a stream and a gradient per micro-batch, in each replica, by
/// every tensor rank: all rows each, or its share of them.
TEST(Messages, AreTwoPerBorderAndMicroBatch) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const int chunks = schedule.takes_chunks ? 2 : 1;
        for (const char* plan :
             {"dp=2,tp=3,pp=3", "dp=2,tp=3,pp=3,sp=1", "pp=2", "dp=3,pp=2,zero=3"}) {
            const StepSpec spec = spec_of(plan, 8, 6, schedule.name.c_str(), chunks);
            const std::int64_t crossings =
                2 * spec.micro_batches() * (spec.plan.pipeline * chunks - 1) * spec.plan.data;
            const Traffic traffic = traffic_of(spec);
            EXPECT_EQ(traffic.messages, crossings * spec.plan.tensor) << describe(spec);
            const std::int64_t copies = spec.plan.sequence == 1 ? 1 : spec.plan.tensor;
            EXPECT_EQ(traffic.elements,
                      crossings * copies * spec.batch.micro_tokens() * spec.model.channels)
                << describe(spec);
        }
    }
}

/// Of all rows of a message each tensor rank sends its share, and gathers the others at the other
/// end: (tp - 1) / tp of them from each.
TEST(Messages, AreSharesOfTensorRanksWhereTheyGather) {
    StepSpec spec = spec_of("dp=2,tp=3,pp=2", 4, 4);
    const TrafficOfKinds whole = traffic_of_kinds(spec);
    spec.pipeline.scatter_gather = true;
    validate(spec);
    const TrafficOfKinds shared = traffic_of_kinds(spec);
    const std::int64_t rows = spec.batch.micro_tokens() * spec.model.channels;
    const std::int64_t crossings = 2 * spec.micro_batches() * spec.plan.data;
    constexpr std::int64_t real = 4;
    EXPECT_EQ(whole.messages, real * crossings * rows * spec.plan.tensor);
    EXPECT_EQ(shared.messages, real * crossings * rows);
    EXPECT_EQ(shared.tensor - whole.tensor, real * crossings * rows * (spec.plan.tensor - 1));
}

/// Elements that all replicas of rank 0's part send together, in units of (P - 1): an all-reduce
/// is a reduce-scatter and an all-gather.
std::int64_t sent_by_replicas(const StepSpec& spec, What what) {
    std::int64_t sum = 0;
    for (const Action& a : step_program(spec, 0).actions) {
        if (a.kind != Kind::transfer || a.transfer.what != what) continue;
        EXPECT_EQ(a.transfer.group, GroupKind::data);
        sum +=
            a.transfer.range.count * (a.transfer.operation == CollectiveKind::all_reduce ? 2 : 1);
    }
    return sum;
}

TEST(DataParallel, SendsWhatEachStageOfZeroSays) {
    constexpr std::int64_t micro_batches = 4;
    for (const std::int64_t layers : {1, 2, 3, 5, 8}) {
        const auto spec = [&](const char* plan) { return spec_of(plan, layers, micro_batches); };
        const ParameterLayout layout(spec("dp=3").model);
        const std::int64_t all = layout.count();
        const std::int64_t block =
            layout.groups()[layout.group_index(ParameterGroup::Kind::block)].count;
        EXPECT_EQ(sent_by_replicas(spec("dp=3"), What::gradients), 2 * all);
        EXPECT_EQ(sent_by_replicas(spec("dp=3"), What::weights), 0);
        EXPECT_EQ(sent_by_replicas(spec("dp=3,zero=1"), What::gradients), all);
        EXPECT_EQ(sent_by_replicas(spec("dp=3,zero=1"), What::weights), all);
        EXPECT_EQ(sent_by_replicas(spec("dp=3,zero=2"), What::gradients), micro_batches * all);
        EXPECT_EQ(sent_by_replicas(spec("dp=3,zero=2"), What::weights), all);
        EXPECT_EQ(sent_by_replicas(spec("dp=3,zero=3"), What::gradients), micro_batches * all);
        // Two blocks stay when a pass turns round; the others come once for each pass.
        const std::int64_t comings = 2 * micro_batches * std::max<std::int64_t>(0, layers - 2) +
                                     std::min<std::int64_t>(layers, 2);
        EXPECT_EQ(sent_by_replicas(spec("dp=3,zero=3"), What::weights),
                  all - layers * block + comings * block)
            << layers << " layers";
    }
}

/// What the ranks of a tensor group send for a unit's pass, in elements and units of (P - 1).
std::int64_t sent_in_group(const StepSpec& spec, Unit::Kind kind, Pass pass) {
    using Each = PhaseTransfer::CollectiveKind;
    std::int64_t sum = 0;
    for (const UnitPhase& phase : phases_of(phase_shape(spec, part_of(spec, 0)), kind, pass)) {
        if (!phase.transfer) continue;
        const PhaseTransfer& transfer = *phase.transfer;
        const bool by_shares =
            transfer.operation == Each::reduce_scatter || transfer.operation == Each::all_gather;
        sum += transfer.count() * (by_shares ? 1 : 2);
    }
    return sum;
}

TEST(TensorParallel, SendsFourAllReducesPerBlock) {
    for (const char* plan : {"tp=2", "tp=3,sp=1", "dp=2,tp=4,pp=2,sp=1"}) {
        StepSpec spec = spec_of(plan, 2, 4);
        const std::int64_t stream = spec.batch.micro_tokens() * spec.model.channels;
        const auto sent = [&](Unit::Kind kind, Pass pass) {
            return sent_in_group(spec, kind, pass);
        };
        EXPECT_EQ(sent(Unit::Kind::block, Pass::forward), 2 * 2 * stream) << plan;
        const bool rows = spec.plan.sequence == 1;
        // The norms' outputs, of which only own rows are kept, once more for the weights.
        const std::int64_t again = rows ? 2 * stream : 0;
        EXPECT_EQ(sent(Unit::Kind::block, Pass::backward), 2 * 2 * stream + again) << plan;
        EXPECT_EQ(sent(Unit::Kind::block, Pass::backward_input), 2 * 2 * stream) << plan;
        EXPECT_EQ(sent(Unit::Kind::block, Pass::backward_weight), again) << plan;
        // A reduce-scatter going forward, its all-gather going backward; and the other way round.
        EXPECT_EQ(sent(Unit::Kind::embedding, Pass::forward), (rows ? 1 : 2) * stream) << plan;
        EXPECT_EQ(sent(Unit::Kind::embedding, Pass::backward), (rows ? 1 : 0) * stream) << plan;
        EXPECT_EQ(sent(Unit::Kind::head, Pass::forward),
                  (rows ? 1 : 0) * stream + 3 * 2 * spec.batch.micro_tokens())
            << plan;
        EXPECT_EQ(sent(Unit::Kind::head, Pass::backward), 2 * stream) << plan;
        // All of a forward pass but its last sum; of the attention branch alone, its collect.
        spec.recompute = Recompute::full;
        EXPECT_EQ(sent(Unit::Kind::block, Pass::recompute), (rows ? 3 : 2) * stream) << plan;
        spec.recompute = Recompute::selective;
        EXPECT_EQ(sent(Unit::Kind::block, Pass::recompute), (rows ? 1 : 0) * stream) << plan;
    }
    EXPECT_EQ(sent_in_group(spec_of("dp=2", 2, 4), Unit::Kind::block, Pass::forward), 0);
}

}  // namespace
}  // namespace shardstone::validation
