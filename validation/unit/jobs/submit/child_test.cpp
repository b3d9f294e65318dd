// SPDX-License-Identifier: BSD-3-Clause
// A command that ends by itself, on request, or only by force.
#include "jobs/submit/child.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace shardstone::submit {
namespace {

using namespace std::chrono_literals;

/// Of a shell that runs `line`, waited for as `limit` and `grace` say.
Child::Ended end_of(const std::string& line, std::chrono::milliseconds limit,
                    std::chrono::milliseconds grace) {
    Child child({{"sh", "-c", line}, {}, "/dev/null", "/dev/null"});
    return child.wait(limit, grace);
}

TEST(Child, EndsByItself) {
    const auto ended = end_of("exit 3", 1min, 1min);
    EXPECT_EQ(ended.code, 3);
    EXPECT_FALSE(ended.by_limit);
}

TEST(Child, IsAskedToEndAfterTheLimit) {
    const auto ended = end_of("trap 'exit 5' TERM; while :; do sleep 0.05; done", 500ms, 1min);
    EXPECT_EQ(ended.code, 5);
    EXPECT_TRUE(ended.by_limit);
}

// Two shells that do not hear SIGTERM: none of the group outlives the grace.
TEST(Child, IsForcedToEndWithItsGroup) {
    const auto begin = std::chrono::steady_clock::now();
    const auto ended = end_of("trap '' TERM; sh -c 'sleep 600' & sleep 600", 300ms, 700ms);
    EXPECT_EQ(ended.code, 128 + 9);
    EXPECT_TRUE(ended.by_limit);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
}

}  // namespace
}  // namespace shardstone::submit
