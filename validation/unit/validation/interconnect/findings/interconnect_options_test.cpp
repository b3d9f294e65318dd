// SPDX-License-Identifier: BSD-3-Clause
// Sizes of messages that a run has no room for, or MPI does not take, are refused by their option.
#include "validation/interconnect/interconnect_options.hpp"

#include <gtest/gtest.h>

#include "kernels/base/available_memory.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::validation {
namespace {

std::string refusal(const InterconnectOptions& options, int ranks_of_machine) {
    try {
        require_measurable(options, collectives::Topology::blocked(4, 1), ranks_of_machine);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(InterconnectOptions, MoreThanMpiTakesIsRefused) {
    InterconnectOptions options;
    EXPECT_EQ(refusal(options, 1), "");
    options.sizes_bytes = {std::int64_t{2} << 30};
    options.parts.congestion = false;
    EXPECT_TRUE(refusal(options, 1).starts_with("--sizes 2147483648: ")) << refusal(options, 1);
}

// By the memory of the machine, whatever it is, with room for what others take meanwhile.
TEST(InterconnectOptions, AllBuffersOfAllRanksOfTheMachineNeedRoom) {
    const auto room = available_memory().for_each_of(1);
    if (!room) GTEST_SKIP() << "no limit can be read here";
    constexpr int ranks = 64;
    InterconnectOptions options;
    // Of what one of the ranks has: two thirds of it for one message, so twice all of it for three.
    options.sizes_bytes = {room->bytes * 2 / 3 / ranks / 8 * 8};
    const std::string words = refusal(options, ranks);
    EXPECT_NE(words.find("a rank holds 3 messages of "), std::string::npos) << words;
    EXPECT_NE(words.find("each of 64 ranks"), std::string::npos) << words;
    options.parts.congestion = false;
    EXPECT_EQ(refusal(options, ranks), "") << "one message at a time";
    EXPECT_NE(refusal(options, 2 * ranks), "") << "however few are on each declared node";
}

TEST(InterconnectOptions, OneRankHasNothingToSoak) {
    InterconnectOptions options;
    options.soak_s = 10.0;
    EXPECT_EQ(refusal(options, 1), "");
    try {
        require_measurable(options, collectives::Topology::blocked(1, 1), 1);
        ADD_FAILURE() << "it is accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "--for repeats the tests of pairs, and one rank has none: start more ranks");
    }
}

}  // namespace
}  // namespace shardstone::validation
