// SPDX-License-Identifier: BSD-3-Clause
// What a soak keeps of its passes, and how long its windows are.
#include "validation/interconnect/soak_sums.hpp"

#include <gtest/gtest.h>

#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

namespace shardstone::validation {
namespace {

TEST(SoakSums, WindowsAreAMinuteAtMostUnlessThereWouldBeTooMany) {
    constexpr std::size_t few = 36, many = 70'000;
    EXPECT_EQ(soak_window_s(20.0, few), 1.0);
    EXPECT_EQ(soak_window_s(1800.0, few), 3.75);
    EXPECT_EQ(soak_window_s(8 * 3600.0, few), 60.0);
    EXPECT_EQ(soak_window_s(48 * 3600.0, few), 60.0);
    const double long_s = soak_window_s(8 * 3600.0, many);
    EXPECT_GT(long_s, 60.0);
    EXPECT_LE(8 * 3600.0 / long_s * many, 1.0001 * most_window_rows);
}

TEST(SoakSums, ARunThatGoesOnContinuesTheNumbersOfPasses) {
    auto samples = planted_soak();
    EXPECT_DOUBLE_EQ(soaked_s(samples), 200.0);
    EXPECT_EQ(SoakSums(samples, 1.0).pass(), 200);
    plant_slow(samples, 203, 0, 1, 2.0);  // after the last window that was written
    EXPECT_EQ(SoakSums(samples, 1.0).pass(), 204);
    EXPECT_EQ(SoakSums(InterconnectSamples{}, 1.0).pass(), 0);
}

}  // namespace
}  // namespace shardstone::validation
