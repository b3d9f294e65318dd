// SPDX-License-Identifier: BSD-3-Clause
// Losses are planted in a step's costs, and found again in their own part and in no other.
#include "reference/step/pricing/gap_split.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

std::vector<double> input_times(const StepSpec& spec, std::span<const StepProgram> programs,
                                double input_s) {
    std::vector<double> sums;
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        double& sum_s = sums.emplace_back(0.0);
        for (const Action& action : programs[static_cast<std::size_t>(rank)].actions) {
            if (loads_data(action, part_of(spec, rank))) sum_s += input_s;
        }
    }
    return sums;
}

struct Found {
    GapSplit parts;
    double step_s = 0.0;

    double operator[](GapPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

/// A step on the machine with what is planted, split by one who knows the machine without it.
Found split_of(const StepSpec& spec, const Planted& planted = {}) {
    const Machine machine = small_cluster(spec.plan.ranks());
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, machine, planted));
    const StepTimes times =
        times_of_step(spec, programs, timeline.spans, input_times(spec, programs, planted.input_s));
    EXPECT_NEAR(times.step_s, timeline.end_s, 1e-9 * timeline.end_s);
    return {GapSplitter(spec, machine, {}, programs).split(times), timeline.end_s};
}

std::vector<StepSpec> specs() {
    std::vector<StepSpec> all;
    for (const char* plan : {"dp=8", "dp=8,zero=3", "tp=2,dp=3", "pp=4,dp=2", "tp=2,pp=2,dp=2",
                             "dp=5,zero=1", "pp=3", "cp=2,dp=2", "ep=2,dp=2"}) {
        all.push_back(small_spec(parse_plan(plan), 4, 6));
    }
    return all;
}

/// The parts but `own` are what they were, to two percent of the step.
void expect_others_unchanged(const Found& before, const Found& after, GapPart own,
                             const std::string& where) {
    for (std::size_t i = 0; i < gap_part_count; ++i) {
        if (i == static_cast<std::size_t>(own)) continue;
        EXPECT_NEAR(after.parts[i], before.parts[i], 0.02 * before.step_s)
            << gap_part_names[i] << " of " << where;
    }
}

TEST(GapSplit, AddsUpAndLosesNothing) {
    for (StepSpec spec : specs()) {
        for (const Recompute recompute : {Recompute::none, Recompute::full}) {
            spec.recompute = recompute;
            const Found found = split_of(spec, {1.3, 2.0, 1e-3});
            EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.step_s,
                        1e-9 * found.step_s);
            for (std::size_t i = 0; i < gap_part_count; ++i) {
                EXPECT_GE(found.parts[i], -1e-9 * found.step_s)
                    << gap_part_names[i] << " of " << describe(spec);
            }
        }
    }
}

TEST(GapSplit, OfOneRankIsPassesAndOptimizer) {
    const StepSpec spec = small_spec(parse_plan("dp=1"), 4, 6);
    const Found found = split_of(spec);
    const PlanCosts costs(spec, small_cluster(1), {});
    double passes_s = 0.0, optimizer_s = 0.0;
    for (const Action& action : step_program(spec, 0).actions) {
        if (action.is_communication()) continue;
        (action.is_pass() ? passes_s : optimizer_s) += costs.compute_s(0, action);
    }
    EXPECT_GT(optimizer_s, 0.0);
    EXPECT_NEAR(found[GapPart::useful], passes_s, 1e-9 * passes_s);
    EXPECT_NEAR(found[GapPart::optimizer], optimizer_s, 1e-9 * optimizer_s);
    for (const GapPart part : {GapPart::bubble, GapPart::latency, GapPart::input}) {
        EXPECT_EQ(found[part], 0.0);
    }
}

// Not a little time either, positive or negative, that only rounding makes: its row is not printed.
TEST(GapSplit, HasNoBubbleWithoutAPipeline) {
    for (const char* plan : {"dp=8", "dp=5,zero=1", "tp=2,dp=3", "cp=2,dp=2", "dp=2,zero=3"}) {
        for (const double slow : {1.0, 1.1, 1.3}) {
            const StepSpec spec = small_spec(parse_plan(plan), 4, 6);
            const Found found = split_of(spec, {.slow_rank = slow});
            EXPECT_EQ(found[GapPart::bubble], 0.0) << plan << " with a rank slower by " << slow;
            EXPECT_EQ(found[GapPart::input], 0.0) << plan;
        }
    }
}

// Where ranks have equal work and wait for each other in the end. Of two ranks nobody knows which
// is the slow one: half of the loss is taken for work.
TEST(GapSplit, FindsASlowRankInTheImbalance) {
    for (const char* plan : {"dp=8", "dp=5,zero=1", "dp=2"}) {
        const StepSpec spec = small_spec(parse_plan(plan), 4, 6);
        const Found before = split_of(spec), after = split_of(spec, {.slow_rank = 1.2});
        const double longer_s = after.step_s - before.step_s;
        EXPECT_GT(longer_s, 0.05 * before.step_s) << plan;
        const double share = spec.plan.ranks() == 2 ? 0.5 : 0.0;
        EXPECT_NEAR(before[GapPart::imbalance], 0.0, 1e-3 * before.step_s) << plan;
        EXPECT_NEAR(after[GapPart::imbalance], longer_s * (1.0 - share), 0.15 * longer_s) << plan;
        const auto grown_s = [&](GapPart part) { return after[part] - before[part]; };
        for (const GapPart part : {GapPart::between_nodes, GapPart::inside_nodes, GapPart::latency,
                                   GapPart::input, GapPart::bubble, GapPart::slower_between_nodes,
                                   GapPart::slower_inside_nodes, GapPart::waiting_for_cores}) {
            EXPECT_NEAR(grown_s(part), 0.0, 0.02 * before.step_s) << plan;
        }
        EXPECT_NEAR(grown_s(GapPart::useful) + grown_s(GapPart::optimizer), longer_s * share,
                    0.15 * longer_s)
            << plan;
    }
}

TEST(GapSplit, FindsASlowLinkBetweenNodes) {
    for (const StepSpec& spec : specs()) {
        const Found before = split_of(spec), after = split_of(spec, {.slow_link = 2.0});
        const double longer_s = after.step_s - before.step_s;
        EXPECT_EQ(before[GapPart::slower_between_nodes], 0.0);
        EXPECT_NEAR(after[GapPart::slower_between_nodes], longer_s, 0.15 * longer_s + 1e-9)
            << describe(spec);
        expect_others_unchanged(before, after, GapPart::slower_between_nodes, describe(spec));
        if (before[GapPart::between_nodes] > 0.1 * before.step_s) {
            EXPECT_GT(longer_s, 0.05 * before.step_s) << describe(spec);
        }
    }
}

// What its ranks reduce is work inside a node, but no link of it.
TEST(GapSplit, BlamesNoLinkInsideNodesOfOneRank) {
    StepSpec spec = small_spec(parse_plan("dp=4"), 4, 6);
    Machine machine = small_cluster(4);
    machine.cluster.ranks_per_node = 1;
    machine.cluster.nodes = 4;
    machine.cluster.reduction.rate_gb_s = 0.1;
    const auto programs = step_programs(spec);
    const PlantedCosts slow(spec, machine, {.slow_link = 2.0});
    const Timeline timeline = run_in_virtual_time(spec.plan, programs, slow);
    const Found found{GapSplitter(spec, machine, {}, programs)
                          .split(times_of_step(spec, programs, timeline.spans, {})),
                      timeline.end_s};
    EXPECT_GT(found[GapPart::slower_between_nodes], 0.05 * found.step_s);
    EXPECT_NEAR(found[GapPart::slower_inside_nodes], 0.0, 1e-9 * found.step_s);
    EXPECT_GT(found[GapPart::inside_nodes], 0.0) << "reducing";
}

TEST(GapSplit, FindsASlowInput) {
    for (const StepSpec& spec : specs()) {
        const double input_s = 0.02 * split_of(spec).step_s;
        const Found before = split_of(spec), after = split_of(spec, {.input_s = input_s});
        const double longer_s = after.step_s - before.step_s;
        EXPECT_NEAR(after[GapPart::input], longer_s, 0.15 * longer_s) << describe(spec);
        expect_others_unchanged(before, after, GapPart::input, describe(spec));
    }
}

// What the same step without overlap takes longer, and where no transfer could overlap, nothing.
TEST(GapSplit, FindsOverlapThatIsOff) {
    for (StepSpec spec : specs()) {
        const Found before = split_of(spec);
        EXPECT_EQ(before[GapPart::overlap_off], 0.0);
        spec.communication.overlap = false;
        const Found after = split_of(spec);
        const double longer_s = after.step_s - before.step_s;
        EXPECT_NEAR(after[GapPart::overlap_off], longer_s, 0.15 * longer_s) << describe(spec);
        expect_others_unchanged(before, after, GapPart::overlap_off, describe(spec));
        EXPECT_TRUE(longer_s > 0.0 || spec.plan.data == 1) << describe(spec);
    }
}

TEST(GapSplit, FindsRecomputation) {
    for (StepSpec spec : specs()) {
        const Found before = split_of(spec);
        EXPECT_EQ(before[GapPart::recomputation], 0.0);
        spec.recompute = Recompute::full;
        const Found after = split_of(spec);
        EXPECT_GT(after[GapPart::recomputation], 0.1 * before[GapPart::useful]);
        EXPECT_NEAR(after[GapPart::useful], before[GapPart::useful],
                    1e-9 * before[GapPart::useful]);
    }
}

// Of a pipeline with even stages, m micro-batches and p stages the bubble is (p - 1) / m of the
// passes (Narayanan et al. 2021, 2.2.1): here stages differ by embedding and head alone.
TEST(GapSplit, FindsTheBubble) {
    const Found found = split_of(small_spec(parse_plan("pp=4"), 16, 6));
    EXPECT_NEAR(found[GapPart::bubble] / found[GapPart::useful], 3.0 / 6.0, 0.2);
    EXPECT_LT(split_of(small_spec(parse_plan("dp=4"), 16, 6))[GapPart::bubble],
              1e-6 * found.step_s);
}

/// A step on a machine, split by one who knows it.
Found known_split(const StepSpec& spec, const Machine& machine) {
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlanCosts(spec, machine, {}));
    const StepTimes times = times_of_step(spec, programs, timeline.spans, {});
    return {GapSplitter(spec, machine, {}, programs).split(times), timeline.end_s};
}

TEST(GapSplit, FindsLatencyWhereMessagesAreShort) {
    const StepSpec spec = small_spec(parse_plan("dp=8"), 4, 6);
    Machine slow = small_cluster(8);
    slow.cluster.inter_node.alpha_s = 1e-1;  // a thousand of them weigh more than bytes
    const auto programs = step_programs(spec);
    const Timeline timeline =
        run_in_virtual_time(spec.plan, programs, PlantedCosts(spec, slow, {}));
    const StepTimes times = times_of_step(spec, programs, timeline.spans, {});
    const Found found{GapSplitter(spec, slow, {}, programs).split(times), timeline.end_s};
    EXPECT_GT(found[GapPart::latency], 0.5 * found.step_s);
    // To one who thinks that messages start at once, the same is all bytes.
    const Found other{GapSplitter(spec, small_cluster(8), {}, programs).split(times),
                      timeline.end_s};
    EXPECT_LT(other[GapPart::latency], 0.05 * found.step_s);
}

/// As many bytes a second as the link has, from one byte to a gigabyte.
void measure(collectives::LinkDescription& link) {
    link.measured = collectives::SizeCurve(
        {{1, link.alpha_s}, {1'000'000'000, link.alpha_s + 1.0 / link.bandwidth_gb_s}});
}

// Whatever of the machine limits them, bytes are no latency, and its NICs' are between nodes.
TEST(GapSplit, KnowsBytesByAnyPartOfADescription) {
    const StepSpec spec = small_spec(parse_plan("dp=8"), 4, 6);
    const Machine plain = small_cluster(8);
    const Found before = known_split(spec, plain);
    const auto expect_same_latency = [&](const Machine& machine, const char* what) {
        const Found found = known_split(spec, machine);
        EXPECT_NEAR(found[GapPart::latency], before[GapPart::latency], 1e-3 * found.step_s) << what;
        return found;
    };
    Machine machine = plain;
    machine.cluster.nics.emplace().bandwidth_gb_s = plain.cluster.inter_node.bandwidth_gb_s;
    machine.cluster.inter_node.bandwidth_gb_s = 1e3;
    const Found by_nics = expect_same_latency(machine, "NICs");
    EXPECT_GT(by_nics[GapPart::between_nodes], 0.9 * before[GapPart::between_nodes]);
    machine = plain;
    machine.cluster.reduction.rate_gb_s = 0.01;
    const Found reducing = expect_same_latency(machine, "reduction");
    EXPECT_GT(reducing[GapPart::inside_nodes], 2.0 * before[GapPart::inside_nodes]);
    machine.cluster.reduction.measured =
        collectives::SizeCurve({{1, 1e-7}, {1'000'000'000, 1e-7 + 1.0 / 0.01}});
    const Found reducing_so = expect_same_latency(machine, "measured reduction");
    EXPECT_NEAR(reducing_so[GapPart::inside_nodes], reducing[GapPart::inside_nodes],
                0.01 * reducing.step_s);
    machine = plain;
    measure(machine.cluster.intra_node);
    measure(machine.cluster.inter_node);
    expect_same_latency(machine, "measured sizes");
    machine.cluster.shared_memory = plain.cluster.intra_node;
    machine.cluster.shared_memory->bandwidth_gb_s = 0.003;
    measure(*machine.cluster.shared_memory);
    StepSpec shared = small_spec(parse_plan("dp=2"), 4, 6);
    shared.communication.all_reduce = "over_shared_memory:ring";
    const Found sharing = known_split(shared, machine);
    EXPECT_LT(sharing[GapPart::latency], 0.01 * sharing.step_s);
    EXPECT_GT(sharing[GapPart::inside_nodes], 0.05 * sharing.step_s);
}

}  // namespace
}  // namespace shardstone::validation
