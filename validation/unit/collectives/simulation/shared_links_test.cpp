// SPDX-License-Identifier: BSD-3-Clause
// Max-min fair sharing: textbook cases, and the defining property on random ones.
#include "collectives/simulation/shared_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardstone::validation {
namespace {

using collectives::SharedLinks;

using Links = std::vector<std::uint32_t>;

/// The rates of messages that all start at once, seen by when a message of size 1 would end.
std::vector<double> rates(const std::vector<double>& capacity, const std::vector<Links>& flows,
                          double limit) {
    SharedLinks shared(capacity);
    for (const Links& links : flows) shared.start(links, 1.0, limit, 0.0);
    std::vector<double> result(flows.size(), 0.0);
    for (const auto& ending : shared.settle(0.0)) result[ending.flow] = 1.0 / ending.time_s;
    return result;
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12);
}

TEST(SharedLinks, OneLinkIsSharedEvenly) {
    expect_near(rates({1.0}, {{0}, {0}, {0}, {0}}, 10.0), {0.25, 0.25, 0.25, 0.25});
}

TEST(SharedLinks, NoneIsFasterThanItsLimit) {
    expect_near(rates({1.0}, {{0}, {0}}, 0.3), {0.3, 0.3});
}

TEST(SharedLinks, WhatOthersCannotUseIsGivenOn) {
    // The second message is held to 0.25 by link 1; the first gets the rest of link 0.
    expect_near(rates({1.0, 0.5}, {{0}, {0, 1}, {1}}, 10.0), {0.75, 0.25, 0.25});
}

TEST(SharedLinks, AnEndFreesItsShare) {
    SharedLinks shared({1.0});
    const Links link{0};
    const auto first = shared.start(link, 1.0, 10.0, 0.0);
    const auto second = shared.start(link, 2.0, 10.0, 0.0);
    shared.settle(0.0);
    shared.end(first);  // at 2 s, when half of the second is left
    EXPECT_FALSE(shared.settled());
    const auto endings = shared.settle(2.0);
    ASSERT_EQ(endings.size(), 1U);
    EXPECT_EQ(endings[0].flow, second);
    EXPECT_NEAR(endings[0].time_s, 3.0, 1e-12);
    EXPECT_TRUE(shared.settled());
}

/// Max-min fair is: no link carries more than it can, and every message that is below its limit
/// passes a full link on which none is faster (Bertsekas and Gallager, section 6.5.2).
bool is_max_min_fair(const std::vector<double>& capacity, const std::vector<Links>& flows,
                     double limit, const std::vector<double>& rate) {
    constexpr double roundoff = 1e-9;
    std::vector<double> load(capacity.size(), 0.0), fastest(capacity.size(), 0.0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
        for (const auto link : flows[f]) {
            load[link] += rate[f];
            fastest[link] = std::max(fastest[link], rate[f]);
        }
    }
    for (std::size_t link = 0; link < load.size(); ++link) {
        if (load[link] > capacity[link] + roundoff) return false;
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
        const bool held = std::ranges::any_of(flows[f], [&](auto link) {
            return load[link] >= capacity[link] - roundoff && rate[f] >= fastest[link] - roundoff;
        });
        if (!held && rate[f] < limit - roundoff) return false;
    }
    return true;
}

TEST(SharedLinks, RandomOnesAreMaxMinFair) {
    std::uint64_t state = 1;
    const auto below = [&](std::uint64_t bound) {  // a plain linear congruential generator
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state >> 33U) % bound;
    };
    int unfair_after_a_nudge = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<double> capacity;
        for (int i = 0; i < 6; ++i) capacity.push_back(static_cast<double>(1 + below(8)));
        std::vector<Links> flows;
        for (std::uint64_t i = 0; i < 1 + below(12); ++i) {
            Links links;
            for (std::uint32_t link = 0; link < 6 && links.size() < 4; ++link) {
                if (below(2) == 0) links.push_back(link);
            }
            if (links.empty()) links.push_back(0);
            flows.push_back(links);
        }
        auto rate = rates(capacity, flows, 2.5);
        EXPECT_TRUE(is_max_min_fair(capacity, flows, 2.5, rate)) << "round " << round;
        rate[below(rate.size())] *= 0.999;
        unfair_after_a_nudge += is_max_min_fair(capacity, flows, 2.5, rate) ? 0 : 1;
    }
    EXPECT_EQ(unfair_after_a_nudge, 300);  // the property can fail
}

}  // namespace
}  // namespace shardstone::validation
