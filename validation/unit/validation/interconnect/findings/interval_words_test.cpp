// SPDX-License-Identifier: BSD-3-Clause
// Intervals that say nothing are not printed as if they did.
#include "validation/interconnect/interval_words.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace shardstone::validation {
namespace {

TEST(IntervalWords, SayWhatIsKnown) {
    EXPECT_EQ(with_interval(12.34, 12.1, 12.6, "us"), "12.3 us (12.1 to 12.6)");
    EXPECT_EQ(with_interval(2.0, 1.0, 10.0, "GB/s"), "2 GB/s (1 to 10)");
    EXPECT_EQ(with_interval(2.0, 1.0, 10.1, "GB/s"), "uncertain: 2 GB/s (1 to 10.1)");
    EXPECT_EQ(with_interval(1.0, 1e-3, 1e3, "times"), "uncertain: 1 times (0.001 to 1e+03)");
    EXPECT_EQ(with_interval(1.0, -1.0, 3.0, "us"), "uncertain: 1 us (-1 to 3)");
    const double none = std::nan("");
    EXPECT_EQ(with_interval(0.688, none, none, "us"),
              "0.688 us (interval unknown: too few samples)");
    EXPECT_EQ(with_interval(0.688, none, none, "us", "pairs"),
              "0.688 us (interval unknown: too few pairs)");
    EXPECT_EQ(with_interval(0.06, 0.013, none, "GB/s"), "uncertain: 0.06 GB/s (at least 0.013)");
    EXPECT_EQ(with_interval(none, 0.013, none, "GB/s"), "unknown (at least 0.013 GB/s)");
    EXPECT_EQ(with_interval(none, none, none, "GB/s"), "unknown");
}

TEST(IntervalWords, SmallOddsAreNumbers) {
    EXPECT_EQ(odds_in_words(0.7), "5 to 1");
    EXPECT_EQ(odds_in_words(0.2), "1.6 to 1");
    EXPECT_EQ(odds_in_words(2.623), "420 to 1");
    EXPECT_EQ(odds_in_words(7.04), "10^7 to 1");
    EXPECT_EQ(odds_in_words(INFINITY), "10^inf to 1");
}

}  // namespace
}  // namespace shardstone::validation
