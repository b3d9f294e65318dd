// SPDX-License-Identifier: BSD-3-Clause
// What messages of a schedule carry, against what the algorithms are known to send.
#include "collectives/drawing/messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

std::vector<DrawnMessage> drawn(const char* operation, const char* algorithm, int size) {
    return messages_of(
        make_schedule(find_algorithm(operation, algorithm), Topology::one_node(size)));
}

const DrawnMessage& between(const std::vector<DrawnMessage>& messages, int step, int from, int to) {
    const auto found = std::ranges::find_if(messages, [&](const DrawnMessage& m) {
        return m.step == step && m.from == from && m.to == to;
    });
    if (found == messages.end()) throw std::runtime_error("no such message");
    return *found;
}

TEST(Messages, ARingPassesBlocksOn) {
    const auto messages = drawn("all_reduce", "ring", 4);
    EXPECT_EQ(messages.size(), 4U * 6U);
    const std::string first = between(messages, 0, 1, 2).blocks;
    EXPECT_TRUE(between(messages, 0, 1, 2).reduces);
    EXPECT_EQ(between(messages, 1, 2, 3).blocks, first) << "what came in step 0 goes on in step 1";
    EXPECT_FALSE(between(messages, 3, 1, 2).reduces) << "the all-gather replaces";
    for (const DrawnMessage& message : messages) EXPECT_DOUBLE_EQ(message.vectors, 0.25);
}

TEST(Messages, RangesOfBlocksAreJoined) {
    const auto messages = drawn("all_reduce", "rabenseifner", 8);
    EXPECT_EQ(between(messages, 0, 0, 4).blocks, "4–7");
    EXPECT_DOUBLE_EQ(between(messages, 0, 0, 4).vectors, 0.5);
    EXPECT_EQ(between(messages, 5, 0, 4).blocks, "0–3");
}

TEST(Messages, SharesAreFollowedThroughScratch) {
    // Step 1 of Bruck's on 5 ranks sends what has 2 and 3 to go; of the latter, 1 is behind it.
    const auto messages = drawn("all_to_all", "bruck", 5);
    EXPECT_EQ(between(messages, 0, 0, 1).content, "0→1, 0→3");
    EXPECT_EQ(between(messages, 1, 1, 3).content, "1→3, 0→3");
    EXPECT_EQ(between(messages, 2, 0, 4).content, "0→4");
    EXPECT_NE(between(messages, 1, 1, 3).blocks, between(messages, 1, 1, 3).content);
}

TEST(Messages, APingComesBack) {
    const auto messages = drawn("ping_pong", "direct", 3);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].content, "0");
    EXPECT_EQ(messages[1].content, "0") << "the pong is the first rank's message";
    EXPECT_EQ(messages[1].from, 2);
}

}  // namespace
}  // namespace shardstone::validation
