// SPDX-License-Identifier: BSD-3-Clause
// Which transfers are under way while a rank computes: in the step programs, before anything runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "reference/step/program_builder.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using What = GroupTransfer::What;

StepSpec spec_of(const std::string& plan, bool overlap) {
    StepSpec spec = small_spec(parse_plan(plan), 5, 3);
    spec.communication.overlap = overlap;
    validate(spec);
    return spec;
}

bool is_of_replicas(const Action& action, What what) {
    return action.kind == Kind::transfer && action.transfer.group == GroupKind::data &&
           action.transfer.what == what;
}

bool needs(const Action& action, std::size_t position) {
    return std::ranges::find(action.needs, position) != action.needs.end();
}

/// Passes, or segments of them, that begin while such a transfer is under way: begun, and waited
/// for by none of the actions up to the pass, itself included.
template <class Test>
int passes_beside(const StepProgram& program, const Test& is_such) {
    int count = 0;
    std::vector<std::size_t> under_way;
    for (std::size_t i = 0; i < program.actions.size(); ++i) {
        const Action& action = program.actions[i];
        std::erase_if(under_way, [&](std::size_t begun) { return needs(action, begun); });
        if (action.is_pass() && !under_way.empty()) ++count;
        if (is_such(action)) under_way.push_back(i);
    }
    return count;
}

int passes_beside(const StepProgram& program, What what) {
    return passes_beside(program,
                         [&](const Action& action) { return is_of_replicas(action, what); });
}

const std::vector<std::string> plans{"dp=3",        "dp=2,pp=2",        "dp=2,tp=2",
                                     "dp=3,zero=1", "dp=2,pp=2,zero=1", "dp=2,tp=2,zero=1",
                                     "dp=3,zero=2", "dp=2,pp=2,zero=2", "dp=2,tp=2,zero=2",
                                     "dp=3,zero=3", "dp=2,pp=2,zero=3", "dp=2,tp=2,zero=3"};

TEST(Overlap, GradientsLeaveDuringTheBackwardPass) {
    for (const std::string& plan : plans) {
        const StepSpec spec = spec_of(plan, true);
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            EXPECT_GT(passes_beside(step_program(spec, rank), What::gradients), 0)
                << plan << ", rank " << rank;
        }
    }
}

TEST(Overlap, WithoutItNothingIsUnderWayDuringAPass) {
    for (const std::string& plan : plans) {
        const StepSpec spec = spec_of(plan, false);
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            for (const What what : {What::gradients, What::weights}) {
                EXPECT_EQ(passes_beside(step_program(spec, rank), what), 0)
                    << plan << ", rank " << rank
                    << (what == What::gradients ? ", gradients" : ", weights");
            }
        }
    }
}

/// What a tensor group sums of the input's gradient hides behind the products for the weights.
TEST(Overlap, WeightsAreComputedWhileATensorGroupSums) {
    const auto is_of_phases = [](const Action& action) {
        return action.kind == Kind::transfer && action.transfer.is_of_phases();
    };
    for (const char* plan : {"tp=2", "tp=3,sp=1", "dp=2,tp=2,pp=2,sp=1,zero=1"}) {
        const StepSpec spec = spec_of(plan, true);
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            // In each of the two branches of each block, and in the head.
            const ModelPart part = part_of(spec, rank);
            const std::int64_t hidden = 2 * part.layers() + (part.has_head() ? 1 : 0);
            EXPECT_EQ(passes_beside(step_program(spec, rank), is_of_phases),
                      spec.micro_batches() * hidden)
                << plan << ", rank " << rank;
            EXPECT_EQ(passes_beside(step_program(spec_of(plan, false), rank), is_of_phases), 0)
                << plan << ", rank " << rank;
        }
    }
}

/// The pass of the next unit in the same stage pass, if it follows with no other pass in between.
std::optional<std::size_t> next_in_turn(const StepProgram& program, std::size_t pass) {
    const Action& now = program.actions[pass];
    for (std::size_t i = pass + 1; i < program.actions.size(); ++i) {
        const Action& next = program.actions[i];
        if (!next.begins_pass()) continue;
        const bool same_turn =
            next.kind == now.kind && next.chunk == now.chunk && next.micro_batch == now.micro_batch;
        return same_turn ? std::optional(i) : std::nullopt;
    }
    return std::nullopt;
}

struct Gathers {
    int ahead = 0;  ///< begun before the pass of the unit before, which does not wait for them
    int late = 0;   ///< begun behind that pass
};

/// Of the weights that passes wait for, but those of the first unit of a stage pass, and those that
/// have stayed since a stage pass before.
Gathers gathers_of(const StepProgram& program) {
    Gathers gathers;
    std::size_t before = 0;  // the pass before
    for (std::size_t pass = 0; pass < program.actions.size(); ++pass) {
        if (!program.actions[pass].begins_pass()) continue;
        const std::size_t since = std::exchange(before, pass);
        const auto next = next_in_turn(program, pass);
        if (!next) continue;
        for (const std::size_t need : program.actions[*next].needs) {
            if (!is_of_replicas(program.actions[need], What::weights) || need < since) continue;
            const bool ahead = need < pass && !needs(program.actions[pass], need);
            ++(ahead ? gathers.ahead : gathers.late);
        }
    }
    return gathers;
}

TEST(ZeRO3, GathersAUnitAheadOfTheComputation) {
    for (const char* plan : {"dp=3,zero=3", "dp=2,pp=2,zero=3", "dp=2,tp=2,zero=3"}) {
        for (const int rank : {0, 2}) {
            const Gathers with = gathers_of(step_program(spec_of(plan, true), rank));
            EXPECT_GT(with.ahead, 0) << plan << ", rank " << rank;
            EXPECT_EQ(with.late, 0) << plan << ", rank " << rank;
            const Gathers without = gathers_of(step_program(spec_of(plan, false), rank));
            EXPECT_EQ(without.ahead, 0) << plan << ", rank " << rank;
            EXPECT_GT(without.late, 0) << plan << ", rank " << rank;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
