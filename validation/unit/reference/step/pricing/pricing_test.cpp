// SPDX-License-Identifier: BSD-3-Clause
// Work, prices and what is read from a timeline, against closed forms.
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/base/error.hpp"
#include "reference/step/pricing/pass_work.hpp"
#include "reference/step/pricing/plan_costs.hpp"
#include "reference/step/pricing/prediction.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;

double flop_of_step(const StepSpec& spec) {
    double flop = 0.0;
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        for (const Action& action : step_program(spec, rank).actions) {
            if (action.is_pass()) flop += pass_work(spec, part_of(spec, rank), action, 4).flop;
        }
    }
    return flop;
}

/// 6 FLOP per token and parameter of a matrix, and attention; whatever the layout, uneven shares
/// included.
TEST(PassWork, AddsUpToTheModel) {
    for (const char* plan : {"dp=1", "dp=3", "tp=3", "dp=2,tp=3,pp=2,sp=1", "dp=2,pp=4,zero=3",
                             "cp=3", "dp=2,tp=2,cp=2,pp=2,sp=1"}) {
        for (const char* schedule : {"1f1b", "zb-h1"}) {
            StepSpec spec = small_spec(parse_plan(plan), 5, 4);
            spec.pipeline.schedule = schedule;
            const GptConfig& model = spec.model;
            const std::int64_t vectors = model.layers * 13 * model.channels + 2 * model.channels;
            const double expected = static_cast<double>(spec.batch.global_tokens()) *
                                    (training_flop_per_token(model, spec.batch.sequence) -
                                     6.0 * static_cast<double>(vectors));
            EXPECT_DOUBLE_EQ(flop_of_step(spec), expected) << describe(spec);
        }
    }
}

/// Narayanan et al. 2021 ("Efficient large-scale ..."): full recomputation costs a forward pass
/// more, here without the last product of each block, 8 C^2 per position.
TEST(PassWork, RecomputesWhatItSays) {
    StepSpec spec = small_spec(parse_plan("tp=2"), 3, 2);
    const double none = flop_of_step(spec);
    const auto tokens = static_cast<double>(spec.batch.global_tokens() * spec.model.layers);
    const auto c = static_cast<double>(spec.model.channels);
    const auto t = static_cast<double>(spec.batch.sequence);
    spec.recompute = Recompute::full;
    EXPECT_DOUBLE_EQ(flop_of_step(spec) - none, tokens * (16.0 * c * c + 2.0 * c * t));
    spec.recompute = Recompute::selective;
    EXPECT_DOUBLE_EQ(flop_of_step(spec) - none, tokens * (6.0 * c * c + 2.0 * c * t));
}

Machine two_nodes(int ranks_per_node) {
    Machine machine = typical_node(ranks_per_node, 1e9, 1e9);
    machine.cluster.nodes = 2;
    machine.cluster.intra_node.alpha_s = 1e-6;
    machine.cluster.intra_node.bandwidth_gb_s = 10.0;
    machine.cluster.inter_node.alpha_s = 1e-5;
    machine.cluster.inter_node.bandwidth_gb_s = 1.0;
    machine.cluster.reduction.rate_gb_s = 20.0;
    return machine;
}

/// Units, passes and phases of a pass that differ share no price, in whatever order they are asked.
TEST(PlanCosts, PassesTakeTheTimeOfTheirOwnWork) {
    for (const char* plan : {"dp=2", "tp=2,sp=1", "cp=2", "ep=2", "dp=2,pp=2"}) {
        StepSpec spec = small_spec(parse_plan(plan), 4, 4);
        spec.reproducible = true;
        spec.recompute = Recompute::selective;
        if (spec.plan.pipeline > 1) spec.pipeline.schedule = "zb-h1";
        const Machine machine = typical_node(spec.plan.ranks(), 3e9, 1e9);
        const PlanCosts costs(spec, machine, {});
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            const ModelPart part = part_of(spec, rank);
            for (const Action& action : step_program(spec, rank).actions) {
                if (!action.is_pass()) continue;
                const PassWork work = pass_work(spec, part, action, 4);
                EXPECT_DOUBLE_EQ(costs.compute_s(rank, action), work.flop / 3e9 + work.bytes / 1e9)
                    << describe(spec) << " rank " << rank << ": pass "
                    << static_cast<int>(action.kind) << " of unit " << action.unit << ", phase "
                    << action.phases.first;
            }
        }
    }
}

TEST(PlanCosts, MessagesTakeAlphaAndBetaOfTheirLink) {
    const StepSpec spec = small_spec(parse_plan("pp=4"), 4, 4);
    const PlanCosts costs(spec, two_nodes(2), {});
    const auto bytes = static_cast<double>(4 * spec.batch.micro_tokens() * spec.model.channels);
    Action send;
    send.kind = Kind::send;
    send.message.peer_stage = 1;
    EXPECT_DOUBLE_EQ(costs.message_s(0, send), 1e-6 + bytes / 10e9);
    send.message.peer_stage = 2;
    EXPECT_DOUBLE_EQ(costs.message_s(1, send), 1e-5 + bytes / 1e9);
}

/// A ring over two nodes is as slow as its slowest link, 2 (P - 1) steps of an n/P, half of them
/// with a reduction.
TEST(PlanCosts, TransfersTakeWhatTheirScheduleDoes) {
    const StepSpec spec = small_spec(parse_plan("dp=4"), 4, 1);
    const PlanCosts costs(spec, two_nodes(2), {});
    const std::int64_t elements = 4 * 16 * 1024;
    const GroupTransfer transfer{GroupTransfer::CollectiveKind::all_reduce,
                                 GroupTransfer::What::gradients,
                                 GroupKind::data,
                                 {0, elements}};
    const double block = static_cast<double>(elements);  // bytes: 4 per element, a quarter of them
    EXPECT_NEAR(costs.transfer_s(3, transfer), 6 * (1e-5 + block / 1e9) + 3 * block / 20e9, 1e-9);
}

/// Two replicas on two nodes of two tensor ranks: two groups share what NICs there are.
TEST(PlanCosts, GroupsShareTheNics) {
    const ParallelPlan plan = parse_plan("dp=2,tp=2");
    Machine machine = two_nodes(2);
    EXPECT_EQ(machine.shared_by(plan, GroupKind::data), machine.cluster);
    machine.cluster.nics = collectives::NicDescription{1, 1.0, {}, "test"};
    EXPECT_EQ(machine.shared_by(plan, GroupKind::data).inter_node.bandwidth_gb_s, 0.5);
    EXPECT_EQ(machine.shared_by(plan, GroupKind::tensor).inter_node.bandwidth_gb_s, 1.0);
    machine.cluster.nics->per_node = 2;
    EXPECT_EQ(machine.shared_by(plan, GroupKind::data).inter_node.bandwidth_gb_s, 1.0);
}

/// The members of one group on a node share its NIC with one another, too.
TEST(PlanCosts, MembersOfAGroupShareTheNics) {
    Machine machine = two_nodes(2);
    machine.cluster.nics = collectives::NicDescription{1, 1.0, {}, "test"};
    const StepSpec spec = small_spec(parse_plan("dp=4"), 4, 1);
    const double block = 16 * 1024;  // bytes: a quarter of the vector
    const GroupTransfer transfer{GroupTransfer::CollectiveKind::all_reduce,
                                 GroupTransfer::What::gradients,
                                 GroupKind::data,
                                 {0, 16 * 1024}};
    const auto ring_s = [&](double between_s_per_byte) {
        return 6 * (1e-5 + block * between_s_per_byte) + 3 * block / 20e9;
    };
    EXPECT_NEAR(PlanCosts(spec, machine, {}).transfer_s(0, transfer), ring_s(1e-9), 1e-9);
    machine.placement = {0, 1, 0, 1};  // both ranks of a node send to the other one
    EXPECT_NEAR(PlanCosts(spec, machine, {}).transfer_s(0, transfer), ring_s(2e-9), 1e-9);
    machine.cluster.nics->per_node = 2;
    EXPECT_NEAR(PlanCosts(spec, machine, {}).transfer_s(0, transfer), ring_s(1e-9), 1e-9);
}

/// Two replicas that are on one node each, and with ranks dealt in turn are not.
TEST(PlanCosts, PlacementDecidesWhatLeavesANode) {
    const StepSpec spec = small_spec(parse_plan("pp=2,dp=2"), 4, 1);
    Machine machine = two_nodes(2);
    const auto between = [&](GroupKind group) {
        return price_step(spec, machine, {}).prediction.sent[group].between_nodes_bytes;
    };
    EXPECT_EQ(between(GroupKind::data), 0.0);
    EXPECT_GT(between(GroupKind::pipeline), 0.0);
    machine.placement = {0, 1, 0, 1};
    EXPECT_GT(between(GroupKind::data), 0.0);
    EXPECT_EQ(between(GroupKind::pipeline), 0.0);
    machine.cluster.nics = collectives::NicDescription{1, 1.0, {}, "test"};
    EXPECT_EQ(machine.shared_by(spec.plan, GroupKind::data).inter_node.bandwidth_gb_s, 0.5);
    EXPECT_EQ(machine.shared_by(spec.plan, GroupKind::pipeline).inter_node.bandwidth_gb_s, 1.0);
}

TEST(PlanCosts, RefusesAClusterThatIsTooSmall) {
    const StepSpec spec = small_spec(parse_plan("dp=5"), 4, 1);
    try {
        const PlanCosts costs(spec, two_nodes(2), {});
        FAIL() << "not seen";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("needs 5 ranks"), std::string::npos);
    }
}

/// The parts of every rank's time add up to the step, with whatever is in it.
TEST(TimeSplit, AddsUpToTheStep) {
    for (const char* plan : {"dp=1", "dp=4", "pp=4", "tp=4", "dp=2,tp=2,sp=1", "dp=2,pp=2,zero=1",
                             "dp=2,tp=2,pp=2,zero=3", "dp=4,zero=2"}) {
        const StepSpec spec = small_spec(parse_plan(plan), 4, 4);
        Machine machine = two_nodes(spec.plan.ranks());
        if (spec.plan.ranks() > 2) machine.cluster.ranks_per_node = (spec.plan.ranks() + 1) / 2;
        const PlanCosts costs(spec, machine, {});
        const auto step = price_step(spec, machine, {});
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            const auto r = static_cast<std::size_t>(rank);
            const TimeSplit split = time_split(step.programs[r], step.timeline, costs, rank);
            EXPECT_NEAR(split.total_s(), step.timeline.end_s, 1e-12 + 1e-9 * split.total_s())
                << plan << " rank " << rank;
            EXPECT_NEAR(split.passes_s, step.timeline.busy_s[r], 1e-12) << plan;
            EXPECT_GE(split.idle_s, -1e-12) << plan;
        }
    }
}

double exposed_data_s(bool overlap) {
    StepSpec spec = small_spec(parse_plan("dp=4"), 8, 1);
    spec.communication.overlap = overlap;
    const auto step = price_step(spec, two_nodes(2), {});
    return step.prediction.split.exposed_s[GroupKind::data];
}

/// One after the other all of a step's reductions show; overlapped, only what is left at its end.
TEST(TimeSplit, OverlapHidesReductions) {
    EXPECT_GT(exposed_data_s(false), 0.0);
    EXPECT_LT(exposed_data_s(true), exposed_data_s(false));
}

/// A ring of four ranks on two nodes crosses between them once in each direction: of the four
/// ranks two send everything to the other node.
TEST(Prediction, CountsBytesByLinkClass) {
    const StepSpec spec = small_spec(parse_plan("dp=4"), 2, 1);
    const auto step = price_step(spec, two_nodes(2), {});
    const auto& sent = step.prediction.sent[GroupKind::data];
    const double all = 2.0 * 3.0 * 4.0 * static_cast<double>(spec.model.parameter_count());
    EXPECT_DOUBLE_EQ(sent.bytes(), all);
    EXPECT_NEAR(sent.between_nodes_bytes / all, 0.5, 0.01);
    const auto one = price_step(spec, typical_node(4, 1e9, 1e9), {});
    EXPECT_EQ(one.prediction.sent[GroupKind::data].between_nodes_bytes, 0.0);
}

TEST(Prediction, IsOneLine) {
    const StepSpec spec = small_spec(parse_plan("dp=2,pp=2"), 4, 4);
    const std::string line = to_line(price_step(spec, two_nodes(2), {}).prediction);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    for (const char* word : {"step ", "passes", " data ", "bubble by stage", "live by stage 2 1"}) {
        EXPECT_NE(line.find(word), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace shardstone::validation
