// SPDX-License-Identifier: BSD-3-Clause
// Ratios by hand, and what has no others.
#include "kernels/base/ratios_to_others.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace shardstone::validation {
namespace {

TEST(RatiosToOthers, AreToTheMedianOfAllButOneself) {
    const auto of = [](std::vector<double> values) { return ratios_to_others(values); };
    EXPECT_EQ(of({1, 8}), (std::vector<double>{0.125, 8}));
    EXPECT_EQ(of({6, 2, 4}), (std::vector<double>{2, 0.4, 1}));
    EXPECT_EQ(of({9, 1, 3, 3}), (std::vector<double>{3, 1.0 / 3.0, 1, 1}));
    EXPECT_TRUE(std::isnan(of({5}).at(0)));
    EXPECT_TRUE(of({}).empty());
}

}  // namespace
}  // namespace shardstone::validation
