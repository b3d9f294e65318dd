// SPDX-License-Identifier: BSD-3-Clause
// What run_in_virtual_time() says of programs that cannot run: every kind of mistake is planted.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/base/error.hpp"
#include "reference/step/pricing/fixed_costs.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
/// The actions of each rank.
using Programs = std::vector<std::vector<Action>>;

/// The message of the Error that a spoiled step ends in; empty: it ran.
std::string complaint(const char* plan, const std::function<void(Programs&)>& spoil) {
    const StepSpec spec = small_spec(parse_plan(plan), 4, 3);
    std::vector<StepProgram> programs = step_programs(spec);
    Programs spoilt;
    for (const StepProgram& program : programs) {
        spoilt.emplace_back(program.actions.begin(), program.actions.end());
    }
    spoil(spoilt);
    for (std::size_t r = 0; r < programs.size(); ++r) programs[r].actions = spoilt[r];
    try {
        run_in_virtual_time(spec.plan, programs, FixedCosts(1, 1, 1));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::size_t first(const std::vector<Action>& actions, Kind kind) {
    const auto found = std::ranges::find(actions, kind, &Action::kind);
    return static_cast<std::size_t>(found - actions.begin());
}

/// Leaves a place behind that waits for nothing and does nothing.
void blank(std::vector<Action>& actions, std::size_t position) {
    actions[position] = {};
    actions[position].kind = Kind::norm;
}

void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

TEST(PlantedTimeline, NothingIsWrongWithTheOriginals) {
    for (const char* plan : {"pp=2", "dp=2", "tp=2", "tp=2,sp=1", "dp=2,tp=2,pp=2,zero=3"}) {
        EXPECT_EQ(complaint(plan, [](Programs&) {}), "") << plan;
    }
}

/// The last one, which only the step's end waits for.
TEST(PlantedTimeline, ASendThatNobodyReceives) {
    const auto text = complaint("pp=2", [](Programs& programs) {
        const std::vector<Action>& actions = programs[0];
        const auto last =
            std::ranges::find(actions.rbegin(), actions.rend(), Kind::receive, &Action::kind);
        blank(programs[0], static_cast<std::size_t>(actions.rend() - last) - 1);
    });
    expect_in(text, "rank 1, action");
    expect_in(text, "send 9 with rank 0 never ends: nobody else begins it");
}

TEST(PlantedTimeline, AReceiveThatNobodySendsTo) {
    const auto text = complaint(
        "pp=2", [](Programs& programs) { blank(programs[1], first(programs[1], Kind::send)); });
    expect_in(text, "backward of micro-batch 0, chunk 0");
    expect_in(text, "deadlocks waiting for rank 0, action");
    expect_in(text, "receive 1 with rank 1");
}

/// The first stage waits for its first gradient before it sends what that is made from.
TEST(PlantedTimeline, ADeadlock) {
    const auto text = complaint("pp=2", [](Programs& programs) {
        std::vector<Action>& one = programs[0];
        const std::size_t stream = first(one, Kind::send);
        const std::size_t gradient = first(one, Kind::receive);
        std::swap(one[stream], one[gradient]);
        one[stream + 1].needs.push_back(stream);
    });
    expect_in(text, "deadlocks waiting for rank 0, action");
    expect_in(text, "receive 1 with rank 1");
}

TEST(PlantedTimeline, AMessageSentTwice) {
    const auto text = complaint("pp=2", [](Programs& programs) {
        std::vector<Action>& one = programs[0];
        const std::size_t stream = first(one, Kind::send);
        one.push_back(one[stream]);
        one.back().needs.clear();
    });
    expect_in(text, "is begun a second time");
}

TEST(PlantedTimeline, AMessageToTheWrongRank) {
    const auto text = complaint("pp=3", [](Programs& programs) {
        programs[0][first(programs[0], Kind::send)].message.peer_stage = 2;
    });
    expect_in(text, "deadlocks waiting for");
}

TEST(PlantedTimeline, TransfersInAnotherOrder) {
    const auto text = complaint("dp=2", [](Programs& programs) {
        std::vector<Action>& one = programs[1];
        const auto gradients = [](const Action& action) {
            return action.kind == Kind::transfer &&
                   action.transfer.what == GroupTransfer::What::gradients;
        };
        const auto a = std::ranges::find_if(one, gradients);
        const auto b = std::find_if(a + 1, one.end(), gradients);
        std::swap(a->transfer, b->transfer);
    });
    expect_in(text, "rank 0, action");
    expect_in(text, ", but rank 1, action");
}

TEST(PlantedTimeline, ATransferThatOneRankLeavesOut) {
    const auto text = complaint(
        "dp=2", [](Programs& programs) { blank(programs[1], first(programs[1], Kind::transfer)); });
    expect_in(text, "rank 0, action");
    expect_in(text, ", but rank 1, action");
}

TEST(PlantedTimeline, TensorRanksInDifferentPasses) {
    const auto text = complaint("tp=2", [](Programs& programs) {
        programs[1][first(programs[1], Kind::transfer)].unit = 1;
    });
    expect_in(text, "rank 0, action 1: transfer in group tensor");
    expect_in(text, "of micro-batch 0, chunk 0, unit 0, but rank 1, action 1: transfer");
    expect_in(text, "of micro-batch 0, chunk 0, unit 1");
}

TEST(PlantedTimeline, ATensorRankThatIsThroughEarly) {
    const auto text = complaint("tp=2", [](Programs& programs) {
        std::vector<Action>& actions = programs[1];
        const auto of_phases = [](const Action& action) {
            return action.kind == Kind::transfer && action.transfer.is_of_phases();
        };
        const auto last = std::find_if(actions.rbegin(), actions.rend(), of_phases);
        blank(programs[1], static_cast<std::size_t>(actions.rend() - last) - 1);
    });
    expect_in(text, "deadlocks waiting for rank 0, action");
    expect_in(text, "transfer in group tensor");
}

}  // namespace
}  // namespace shardstone::validation
