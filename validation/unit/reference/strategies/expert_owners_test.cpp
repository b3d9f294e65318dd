// SPDX-License-Identifier: BSD-3-Clause
// Which replicas sum the gradients of experts and of all else, and who owns what under ZeRO.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "reference/model/memory_formula.hpp"
#include "reference/step/memory_model.hpp"
#include "reference/step/state_layout.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Group = ParameterGroup::Kind;
using What = GroupTransfer::What;

StepSpec spec_of(const std::string& plan) {
    StepSpec spec = small_spec(parse_plan(plan), 4, 2);
    validate(spec);
    return spec;
}

/// The groups over which a rank sums gradients or gathers weights of parameters of a kind, and how
/// many of these it does.
using Volumes = std::map<std::string, std::int64_t>;
Volumes volumes_of(const StepSpec& spec, int rank, What what, bool of_experts) {
    const ParameterLayout layout(spec.model, part_of(spec, rank));
    Volumes volumes;
    for (const Action& action : step_program(spec, rank).actions) {
        if (action.kind != Action::Kind::transfer || action.transfer.what != what) continue;
        const auto group = std::ranges::find_if(layout.groups(), [&](const ParameterGroup& each) {
            return action.transfer.range.first < each.end();
        });
        if ((group->kind == Group::experts) != of_experts) continue;
        volumes[to_string(action.transfer.group)] += action.transfer.range.count;
    }
    return volumes;
}

TEST(ExpertOwners, GradientsOfExpertsAreSummedOverTheirReplicasOnly) {
    for (const char* zero : {"", ",zero=1", ",zero=2", ",zero=3"}) {
        const StepSpec spec = spec_of(std::string("dp=3,ep=2") + zero);
        const std::int64_t times = spec.plan.zero >= 2 ? spec.micro_batches() : 1;
        for (const int rank : {0, 5}) {
            const ModelPart part = part_of(spec, rank);
            const std::int64_t of_experts =
                spec.model.layers * expected_parameters(spec.model, part, Group::experts);
            const std::int64_t of_others = expected_parameters(spec.model, part) - of_experts;
            EXPECT_EQ(volumes_of(spec, rank, What::gradients, true),
                      (Volumes{{"expert data", times * of_experts}}));
            EXPECT_EQ(volumes_of(spec, rank, What::gradients, false),
                      (Volumes{{"data", times * of_others}}));
            if (spec.plan.zero == 0) continue;
            EXPECT_EQ(volumes_of(spec, rank, What::weights, true).size(), 1U);
            EXPECT_TRUE(volumes_of(spec, rank, What::weights, true).contains("expert data"));
            EXPECT_EQ(volumes_of(spec, rank, What::weights, false).size(), 1U);
            EXPECT_TRUE(volumes_of(spec, rank, What::weights, false).contains("data"));
        }
    }
    // One replica of each expert: nobody to sum with.
    EXPECT_EQ(volumes_of(spec_of("ep=2"), 1, What::gradients, true), Volumes{});
}

/// By tensor, for each element of the whole model's.
using Times = std::map<std::string, std::vector<int>>;

/// Adds what a rank owns; of tensors that all tensor ranks hold, what the first does.
void count_owned(const StepSpec& spec, int rank, Times& times) {
    const ModelPart part = part_of(spec, rank);
    const ParameterLayout layout(spec.model, part);
    const auto owned = StateLayout(spec, layout, coordinates_of(spec.plan, rank)).owned();
    const auto is_owned = [&](std::int64_t flat) {
        return std::ranges::any_of(
            owned, [&](const Range& range) { return flat >= range.first && flat < range.end(); });
    };
    for (const ParameterInfo& info : layout.parameters()) {
        if (info.replicated && part.tensor_rank > 0) continue;
        std::int64_t size = 1;
        for (const std::int64_t extent : info.shape) size *= extent;
        auto& counts = times[info.name];
        counts.resize(static_cast<std::size_t>(size));
        for (const TensorPiece& piece : info.pieces()) {
            for (std::int64_t i = 0; i < piece.count; ++i) {
                const bool here = is_owned(info.offset + piece.local + i);
                counts[static_cast<std::size_t>(piece.global + i)] += here ? 1 : 0;
            }
        }
    }
}

/// How often all ranks together own each element.
Times times_owned(const StepSpec& spec) {
    Times times;
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) count_owned(spec, rank, times);
    return times;
}

TEST(ExpertOwners, OwnersUpdateEveryParameterOnce) {
    for (const char* plan : {"ep=2,zero=1", "dp=2,ep=2,zero=1", "dp=3,ep=2,zero=2",
                             "dp=2,ep=2,tp=2,zero=3", "ep=2,cp=2,zero=1"}) {
        const StepSpec spec = spec_of(plan);
        std::int64_t elements = 0;
        for (const auto& [name, times] : times_owned(spec)) {
            EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; }))
                << plan << ": " << name;
            elements += std::ssize(times);
        }
        EXPECT_EQ(elements, spec.model.parameter_count()) << plan;
    }
}

// Without ZeRO experts are on as many ranks as there are replicas of them, all else on all.
TEST(ExpertOwners, ExpertsHaveFewerReplicas) {
    const StepSpec spec = spec_of("dp=3,ep=2");
    for (const auto& [name, times] : times_owned(spec)) {
        const int expected = name.find("experts.") == std::string::npos ? 6 : 3;
        EXPECT_TRUE(std::ranges::all_of(times, [&](int n) { return n == expected; })) << name;
    }
}

TEST(ExpertOwners, CountsOfOwnersAreThoseOfTheStateLayout) {
    for (const char* plan : {"ep=2,zero=1", "dp=3,ep=2,zero=1", "dp=3,ep=2,tp=2,pp=2,zero=3"}) {
        const StepSpec spec = spec_of(plan);
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            const ParameterLayout layout(spec.model, part_of(spec, rank));
            const StateLayout state(spec, layout, coordinates_of(spec.plan, rank));
            std::int64_t owned = 0, buffers = 0;
            for (const Range& range : state.owned()) owned += range.count;
            for (const std::int64_t size : state.buffer_sizes()) buffers += size;
            const ParameterCounts counts = parameter_counts(spec, rank);
            EXPECT_EQ(counts.all, layout.count()) << plan;
            EXPECT_EQ(counts.owned, owned) << plan << " rank " << rank;
            EXPECT_EQ(counts.buffers, buffers) << plan << " rank " << rank;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
