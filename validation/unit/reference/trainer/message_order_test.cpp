// SPDX-License-Identifier: BSD-3-Clause
// Messages between two stages, of one kind, leave and arrive in one order under every schedule:
// GPUs match them by it (StageChannels), where MPI has their numbers.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "reference/step/step_program.hpp"
#include "validation/equivalence/layouts.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// Numbers of messages by sender, receiver and kind.
using Orders = std::map<std::tuple<int, int, bool>, std::vector<std::int64_t>>;

Orders orders_of(const TrainOptions& options, const std::vector<StepProgram>& programs,
                 Action::Kind kind) {
    Orders orders;
    for (int rank = 0; rank < options.plan.ranks(); ++rank) {
        for (const Action& action : programs[static_cast<std::size_t>(rank)].actions) {
            if (action.kind != kind) continue;
            const StageMessage& message = action.message;
            const int peer = rank_of_stage(options.plan, rank, message.peer_stage);
            const bool sends = kind == Action::Kind::send;
            orders[{sends ? rank : peer, sends ? peer : rank, message.gradient}].push_back(
                message.id);
        }
    }
    return orders;
}

TEST(MessageOrder, IsOneAtBothEndsUnderEverySchedule) {
    int with_stages = 0;
    for (const Layout& layout : equivalence_layouts()) {
        const TrainOptions options = with_layout(equivalence_training(1), layout);
        if (options.plan.pipeline == 1) continue;
        ++with_stages;
        const auto programs = step_programs(options);
        const Orders sent = orders_of(options, programs, Action::Kind::send);
        EXPECT_EQ(sent, orders_of(options, programs, Action::Kind::receive)) << layout.name();
        EXPECT_FALSE(sent.empty()) << layout.name();
    }
    EXPECT_GT(with_stages, 40);
}

// It can fail: two messages that change places at one end.
TEST(MessageOrder, SeesMessagesThatChangePlaces) {
    const TrainOptions options = with_layout(equivalence_training(1), {.plan = "pp=2"});
    const auto programs = step_programs(options);
    const Orders sent = orders_of(options, programs, Action::Kind::send);
    Orders received = orders_of(options, programs, Action::Kind::receive);
    EXPECT_EQ(sent, received);
    auto& forward = received.at({0, 1, false});
    ASSERT_GE(forward.size(), 2u);
    std::swap(forward[0], forward[1]);
    EXPECT_NE(sent, received);
}

}  // namespace
}  // namespace shardstone::validation
