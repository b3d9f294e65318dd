// SPDX-License-Identifier: BSD-3-Clause
// What MPI needs of planned messages: peers, tags and requests as the plan says, places that no two
// messages of a step share.
#include "collectives/executors/gpu/envelopes.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

Transfer transfer(TransferKind kind, int peer, int channel, std::int64_t size_bytes) {
    Transfer one;
    one.kind = kind;
    one.peer = peer;
    one.channel = channel;
    one.size_bytes = size_bytes;
    return one;
}

/// Channel 2 of a program: a step that receives 100 B and sends 20 + 50 B, then one that sends 65
/// B. Channel 5: a step that receives 1 B.
TransferPlan small_plan() {
    TransferPlan plan;
    plan.transfers = {
        transfer(TransferKind::receive_reduce, 7, 2, 100), transfer(TransferKind::send, 1, 2, 20),
        transfer(TransferKind::send, 1, 2, 50), transfer(TransferKind::send, 3, 2, 65),
        transfer(TransferKind::receive_replace, 4, 5, 1)};
    plan.transfers[0].after_sends = true;
    plan.messages = {{0, 1, 100, true}, {1, 3, 70, true}, {3, 4, 65, false}, {4, 5, 1, false}};
    plan.steps = {{0, 2}, {2, 3}, {3, 4}};
    plan.channels = {{0, 2, 0}, {2, 3, 2}};
    plan.requests = 3;
    return plan;
}

TEST(Envelopes, HavePeersTagsAndRequestsOfThePlan) {
    const Envelopes all = address(small_plan(), 40);
    ASSERT_EQ(all.of.size(), 4U);
    const auto expect = [&](std::size_t m, const Envelope& want) {
        const Envelope& got = all.of[m];
        EXPECT_EQ(got.channel, want.channel) << m;
        EXPECT_EQ(got.request, want.request) << m;
        EXPECT_EQ(got.sends, want.sends) << m;
        EXPECT_EQ(got.after_sends, want.after_sends) << m;
        EXPECT_EQ(got.peer, want.peer) << m;
        EXPECT_EQ(got.tag, want.tag) << m;
        EXPECT_EQ(got.size_bytes, want.size_bytes) << m;
    };
    expect(0, {0, 0, 0, false, true, 7, 42, 100});
    expect(1, {0, 1, 0, true, false, 1, 42, 70});
    expect(2, {0, 0, 0, true, false, 3, 42, 65});
    expect(3, {1, 2, 0, false, false, 4, 45, 1});
}

// Steps of a channel use its slice in turn; channels are in flight together.
TEST(Envelopes, PlacesOfAStepAreApartAndAligned) {
    const Envelopes all = address(small_plan(), 0);
    EXPECT_EQ(all.of[0].offset_bytes, 0);
    EXPECT_EQ(all.of[1].offset_bytes, 128);  // behind 100 B
    EXPECT_EQ(all.of[2].offset_bytes, 0);
    EXPECT_EQ(all.of[3].offset_bytes, 256);  // behind the longer step's 128 + 128 B
    EXPECT_EQ(all.room_bytes, 320);
}

TEST(Envelopes, OnlyWhatIsReceivedMayHaveAPlace) {
    const Envelopes all = address(small_plan(), 0, Placed::received);
    EXPECT_EQ(all.of[0].offset_bytes, 0);
    EXPECT_EQ(all.of[3].offset_bytes, 128);  // behind 100 B, whatever is sent
    EXPECT_EQ(all.room_bytes, 192);
}

}  // namespace
}  // namespace shardstone::validation
