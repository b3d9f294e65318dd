// SPDX-License-Identifier: BSD-3-Clause
// What cannot be removed is named.
#include "jobs/submit/obstacles.hpp"

#include <gtest/gtest.h>

#include "validation/unit/jobs/submit/refused.hpp"

namespace shardstone::submit {
namespace {

TEST(Obstacles, ThatStayAreNamed) {
    const auto said = refusal_of([] { remove_whole("/proc/self/environ"); });
    EXPECT_TRUE(
        said.starts_with("'/proc/self/environ' is in the way of a new run, and cannot be "
                         "removed ("))
        << said;
    EXPECT_TRUE(said.ends_with("): remove it")) << said;
}

}  // namespace
}  // namespace shardstone::submit
