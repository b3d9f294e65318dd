// SPDX-License-Identifier: BSD-3-Clause
// One wrong step planted in a right schedule: the checker refuses it and names rank, step, block.
#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/operation/algorithm.hpp"
#include "collectives/proof/checker.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr int size = 5;
constexpr int culprit = 2;

Schedule good(const char* name = "ring") {
    return make_schedule(find_algorithm("all_reduce", name), Topology::one_node(size));
}

std::vector<BlockTransfer>& actions_of(Schedule& schedule, int rank = culprit) {
    return schedule.programs[static_cast<std::size_t>(rank)].actions;
}

/// The culprit's action of that kind in that step.
BlockTransfer& action(Schedule& schedule, TransferKind kind, int step) {
    return *std::ranges::find_if(actions_of(schedule), [=](const BlockTransfer& candidate) {
        return candidate.kind == kind && candidate.step == step;
    });
}

struct Extent {
    int rank, step, block;
};

void expect_refused(const Schedule& schedule, Extent place, const std::string& words) {
    const auto fault = check_schedule(schedule);
    ASSERT_TRUE(fault) << "accepted; expected: " << words;
    EXPECT_EQ(fault->rank, place.rank) << fault->what;
    EXPECT_EQ(fault->step, place.step) << fault->what;
    EXPECT_EQ(fault->block, place.block) << fault->what;
    EXPECT_NE(fault->what.find(words), std::string::npos) << fault->what;
}

// In the ring on 5 ranks, rank 2 sends block (1 - s) mod 5 and receives (0 - s) mod 5 in step s of
// the reduce-scatter; in step s of the all-gather, which starts at step 4, it sends (2 - s) mod 5.
TEST(PlantedBug, TheGoodScheduleIsAccepted) {
    EXPECT_FALSE(check_schedule(good()));
}

TEST(PlantedBug, WrongPeer) {
    Schedule schedule = good();
    action(schedule, TransferKind::send, 1).peer = 4;
    expect_refused(schedule, {2, 1, 0}, "rank 4 never receives it");
}

TEST(PlantedBug, WrongBlock) {
    Schedule schedule = good();
    action(schedule, TransferKind::receive_reduce, 2).blocks.first = 4;
    expect_refused(schedule, {2, 2, 4}, "receives block 4 from rank 1, which sends block 3");
}

TEST(PlantedBug, WrongBlockOnBothEnds) {
    Schedule schedule = good();
    // Block 1 was sent on in step 0 already: rank 3 now gets rank 2's part of it again.
    action(schedule, TransferKind::send, 1).blocks.first = 1;
    for (BlockTransfer& received : actions_of(schedule, 3)) {
        if (received.step == 1 && received.kind != TransferKind::send) received.blocks.first = 1;
    }
    expect_refused(schedule, {3, 1, 1}, "counts the contribution of rank 2 twice");
}

TEST(PlantedBug, ReplaceInsteadOfReduce) {
    Schedule schedule = good();
    action(schedule, TransferKind::receive_reduce, 1).kind = TransferKind::receive_replace;
    expect_refused(schedule, {2, 1, 4}, "loses the contribution of rank 2");
}

TEST(PlantedBug, ReduceInsteadOfReplace) {
    Schedule schedule = good();
    action(schedule, TransferKind::receive_replace, 4).kind = TransferKind::receive_reduce;
    expect_refused(schedule, {2, 4, 1}, "counts the contribution of rank");
}

TEST(PlantedBug, MissingReceive) {
    Schedule schedule = good();
    const BlockTransfer gone = action(schedule, TransferKind::receive_reduce, 3);
    std::erase(actions_of(schedule), gone);
    expect_refused(schedule, {1, 3, 2}, "rank 2 never receives it: a deadlock");
}

TEST(PlantedBug, MissingSend) {
    Schedule schedule = good();
    const BlockTransfer gone = action(schedule, TransferKind::send, 3);
    std::erase(actions_of(schedule), gone);
    expect_refused(schedule, {3, 3, 3}, "rank 2 never sends it: a deadlock");
}

TEST(PlantedBug, SwappedStepsDeadlock) {
    Schedule schedule = good("recursive_doubling");
    // Rank 2 meets rank 0 first and rank 3 second, who meet it the other way round: with rendezvous
    // sends all three wait for ever. (Step 0 is the fold of rank 4, which rank 2 has no part in.)
    for (BlockTransfer& swapped : actions_of(schedule)) {
        if (swapped.step == 1 || swapped.step == 2) swapped.step = 3 - swapped.step;
    }
    std::ranges::stable_sort(actions_of(schedule), {}, &BlockTransfer::step);
    expect_refused(schedule, {2, 1, 0}, "a deadlock");
}

TEST(PlantedBug, StepsOutOfOrder) {
    Schedule schedule = good();
    std::swap(actions_of(schedule)[0], actions_of(schedule)[2]);
    expect_refused(schedule, {2, 0, 0}, "comes after a later channel or step");
}

TEST(PlantedBug, DoubleCount) {
    Schedule schedule = good("binomial_tree");
    // Rank 0 sends its vector back to rank 1 while rank 1 sends its own, and rank 0 hears of rank 1
    // again in step 1 through a second message.
    auto& root = actions_of(schedule, 0);
    auto& leaf = actions_of(schedule, 1);
    root.push_back({TransferKind::receive_reduce, 0, 1, 1, {0, 1}});
    leaf.push_back({TransferKind::send, 0, 1, 0, {0, 1}});
    for (auto* actions : {&root, &leaf})
        std::ranges::stable_sort(*actions, {}, &BlockTransfer::step);
    expect_refused(schedule, {0, 1, 0}, "counts the contribution of rank 1 twice");
}

TEST(PlantedBug, BlockOverwrittenWhileItIsSent) {
    Schedule schedule = good("recursive_doubling");
    action(schedule, TransferKind::receive_reduce, 1).kind = TransferKind::receive_replace;
    expect_refused(schedule, {2, 1, 0}, "while the same step sends it to rank 3");
}

TEST(PlantedBug, StepLeftOutOnBothEnds) {
    Schedule schedule = good();
    const BlockTransfer last = action(schedule, TransferKind::send, 7);
    std::erase(actions_of(schedule), last);
    std::erase_if(actions_of(schedule, 3), [](const BlockTransfer& candidate) {
        return candidate.step == 7 && candidate.kind != TransferKind::send;
    });
    expect_refused(schedule, {3, -1, 4}, "ends without the contribution of rank");
}

TEST(PlantedBug, ChannelThatTouchesAnothersBlock) {
    Schedule schedule = good("double_binary_tree");
    actions_of(schedule).front().blocks.first = 1;
    const BlockTransfer& first = actions_of(schedule).front();
    expect_refused(schedule, {2, first.step, 1}, "not one of the channel's blocks");
}

TEST(PlantedBug, ChannelsThatOverlap) {
    Schedule schedule = good("double_binary_tree");
    for (auto& program : schedule.programs) program.channels[1].first = 0;
    expect_refused(schedule, {0, -1, 1}, "not owned by exactly one channel");
}

}  // namespace
}  // namespace shardstone::validation
