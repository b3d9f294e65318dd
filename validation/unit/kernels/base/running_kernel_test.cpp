// SPDX-License-Identifier: BSD-3-Clause
// Which kernel runs a process: by its boot identity, or as it is told.
#include "kernels/base/running_kernel.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace shardstone::validation {
namespace {

TEST(RunningKernel, IsWhatItIsToldWhereNodesPlayMachines) {
    const double own = running_kernel();
    setenv("SHARDSTONE_MACHINE", "one", 1);
    const double one = running_kernel();
    EXPECT_EQ(running_kernel(), one);
    EXPECT_NE(one, own);
    EXPECT_GE(one, 0.0);
    setenv("SHARDSTONE_MACHINE", "another", 1);
    EXPECT_NE(running_kernel(), one);
    setenv("SHARDSTONE_MACHINE", "", 1);
    EXPECT_EQ(running_kernel(), own) << "an empty variable says nothing";
    unsetenv("SHARDSTONE_MACHINE");
    EXPECT_EQ(running_kernel(), own);
}

}  // namespace
}  // namespace shardstone::validation
