// SPDX-License-Identifier: BSD-3-Clause
// Spells are found where they were planted, and in noise of several kinds hardly ever.
#include "validation/interconnect/spells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

constexpr std::int64_t passes = 400;
constexpr std::size_t subjects = 8;

/// How probable it is that a subject is slow in a pass of a healthy cluster.
using Probability = double (*)(std::size_t subject, std::int64_t pass);

std::vector<SlowPasses> noise(std::uint64_t trial, Probability probability) {
    const RandomStream random(trial, "spells");
    std::vector<SlowPasses> slow(subjects);
    std::uint64_t draw = 0;
    for (std::size_t subject = 0; subject < subjects; ++subject) {
        for (std::int64_t pass = 0; pass < passes; ++pass) {
            if (random.uniform(draw++) < probability(subject, pass)) slow[subject].push_back(pass);
        }
    }
    return slow;
}

int alarms(Probability probability) {
    int count = 0;
    for (std::uint64_t trial = 0; trial < 1000; ++trial) {
        count += find_spells(noise(trial, probability), passes, subjects).empty() ? 0 : 1;
    }
    return count;
}

/// Of 1,000 trials with at most 1 % of false alarms, more than 20 have a probability below 2e-3.
constexpr int most_alarms = 20;

TEST(Spells, ChanceIsHypergeometric) {
    EXPECT_NEAR(std::pow(10.0, log10_chance(10, 4, 3, 3)), 4.0 / 120.0, 1e-12);
    EXPECT_NEAR(std::pow(10.0, log10_chance(10, 4, 3, 2)), (4.0 + 6.0 * 6.0) / 120.0, 1e-12);
    EXPECT_EQ(log10_chance(10, 4, 3, 0), 0.0);
    EXPECT_EQ(log10_chance(10, 9, 3, 2), 0.0) << "two of three are marked in any case";
    EXPECT_NEAR(log10_chance(200, 20, 20, 20), -27.2, 0.1) << "1 / C(200, 20)";
}

TEST(Spells, RareSlownessIsNone) {
    EXPECT_LE(alarms([](std::size_t, std::int64_t) { return 0.02; }), most_alarms);
}

TEST(Spells, FrequentSlownessIsNone) {
    EXPECT_LE(alarms([](std::size_t, std::int64_t) { return 0.4; }), most_alarms);
}

TEST(Spells, ANeighbourOfTheWholeClusterIsNone) {
    EXPECT_LE(alarms([](std::size_t, std::int64_t pass) {
                  return pass >= 100 && pass < 160 ? 0.6 : 0.02;
              }),
              most_alarms);
}

TEST(Spells, ASubjectThatIsAlwaysNoisyIsNone) {
    EXPECT_LE(alarms([](std::size_t subject, std::int64_t) { return subject == 3 ? 0.6 : 0.02; }),
              most_alarms);
}

TEST(Spells, APlantedSpellIsFoundWithItsBeginningAndEnd) {
    int right = 0;
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
        auto slow = noise(trial, [](std::size_t, std::int64_t) { return 0.02; });
        const std::size_t faulty = trial % subjects;
        const auto first = static_cast<std::int64_t>(20 + trial);
        SlowPasses& own = slow[faulty];
        for (std::int64_t pass = first; pass < first + 12; ++pass) own.push_back(pass);
        std::ranges::sort(own);
        const auto twice = std::ranges::unique(own);
        own.erase(twice.begin(), twice.end());
        const auto found = find_spells(slow, passes, subjects);
        right += found.size() == 1 && found[0].subject == faulty && found[0].first <= first &&
                         found[0].first > first - 5 && found[0].last >= first + 11 &&
                         found[0].last < first + 16
                     ? 1
                     : 0;
    }
    EXPECT_GE(right, 196) << "49 of 50";
}

TEST(Spells, ShortOnesAreNotEnough) {
    std::vector<SlowPasses> slow(subjects);
    slow[2] = {50, 51, 52};
    EXPECT_TRUE(find_spells(slow, passes, subjects).empty());
    slow[2] = {50, 51, 52, 53, 54, 55, 56, 57};
    const auto found = find_spells(slow, passes, subjects);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].slow, 8);
    // Of 64 chances in these passes 8 were slow: 1 / C(64, 8), times 8 * 400 * 8 * 9 tries.
    EXPECT_NEAR(found[0].log10_odds, std::log10(4426165368.0 / (8.0 * 400.0 * 72.0)), 1e-6);
}

TEST(Spells, AGapDoesNotPartASpellButALongOneDoes) {
    std::vector<SlowPasses> slow(subjects);
    for (std::int64_t pass = 100; pass < 120; ++pass) {
        if (pass % 5 != 2) slow[0].push_back(pass);
    }
    for (std::int64_t pass = 200; pass < 220; ++pass) slow[0].push_back(pass);
    const auto found = find_spells(slow, passes, subjects);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].first, 100);
    EXPECT_EQ(found[0].last, 119);
    EXPECT_EQ(found[0].slow, 16);
    EXPECT_EQ(found[1].first, 200);
    EXPECT_EQ(found[1].last, 219);
}

}  // namespace
}  // namespace shardstone::validation
