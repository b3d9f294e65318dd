// SPDX-License-Identifier: BSD-3-Clause
// Latency and time per byte come out as they were put in, also next to bad links.
#include "validation/interconnect/path_costs.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {

namespace {

constexpr std::int64_t small_bytes = 1024, large_bytes = 1 << 24;

/// Four nodes on two leaves, all pairs in both directions: the test (i, j) costs alpha (1 + (i + j)
/// / 100) plus beta * size; messages across leaves have an alpha 1 us longer.
std::vector<PairTime> times_of(std::span<const Place> places, double alpha_s,
                               double beta_s_per_byte) {
    std::vector<PairTime> times;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (i == j) continue;
            const PairTest test{.sender = i, .receiver = j};
            const double extra_s = path_of(places, test) == Path::across_leaves ? 1e-6 : 0.0;
            for (const auto size : {large_bytes, small_bytes}) {
                const double time_s = alpha_s * (1.0 + (i + j) / 100.0) + extra_s +
                                      beta_s_per_byte * static_cast<double>(size);
                times.push_back({.test = test, .size_bytes = size, .times_s = {time_s, time_s}});
            }
        }
    }
    return times;
}

std::vector<Place> four_nodes() {
    std::vector<Place> places;
    for (int node = 0; node < 4; ++node) places.push_back({.node = node, .leaf = node / 2});
    return places;
}

}  // namespace

TEST(PathCosts, MediansOverThePairsOfEachPath) {
    const auto places = four_nodes();
    const auto costs = path_costs(places, times_of(places, 2e-6, 4e-11));
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_EQ(costs[0].path, Path::same_leaf);
    EXPECT_EQ(costs[0].tests, 4);
    EXPECT_EQ(costs[1].path, Path::across_leaves);
    EXPECT_EQ(costs[1].tests, 8);
    // Inside the leaves, i + j is 1 or 5; across, 2 to 4: 3 in the middle either way. Times of 700
    // us are rounded to 1e-19 s, their difference over 2^24 bytes is as exact as that.
    EXPECT_NEAR(costs[0].alpha_s, 2.06e-6, 1e-15);
    EXPECT_NEAR(costs[1].alpha_s, 3.06e-6, 1e-15);
    EXPECT_NEAR(costs[0].beta_s_per_byte, 4e-11, 1e-20);
    EXPECT_FALSE(costs[0].alpha_interval_s);
    ASSERT_TRUE(costs[1].alpha_interval_s);
    EXPECT_NEAR(costs[1].alpha_interval_s->low, 3.04e-6, 1e-15);
    EXPECT_NEAR(costs[1].alpha_interval_s->high, 3.08e-6, 1e-15);
}

TEST(PathCosts, OneBadLinkMovesNothing) {
    const auto places = four_nodes();
    auto times = times_of(places, 2e-6, 4e-11);
    for (auto& time : times) {
        const bool slow = time.test.sender == 0 && time.size_bytes == large_bytes;
        for (double& time_s : time.times_s) time_s *= slow ? 2.0 : 1.0;
    }
    EXPECT_NEAR(path_costs(places, times)[1].beta_s_per_byte, 4e-11, 1e-20);
    // All links are not one link.
    for (auto& time : times) {
        for (double& time_s : time.times_s) time_s *= time.test.sender == 0 ? 1.0 : 2.0;
    }
    EXPECT_NEAR(path_costs(places, times)[1].beta_s_per_byte, 8e-11, 1e-19);
}

TEST(PathCosts, OneSizeHasNoLine) {
    const auto places = four_nodes();
    auto times = times_of(places, 2e-6, 4e-11);
    std::erase_if(times, [](const PairTime& time) { return time.size_bytes == small_bytes; });
    EXPECT_TRUE(path_costs(places, times).empty());
}

}  // namespace shardstone::validation
