// SPDX-License-Identifier: BSD-3-Clause
// Which experts nearly were chosen, by hand.
#include "validation/equivalence/routes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardstone::validation {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Three positions, two of four experts each: ahead by log(3/2), by log(1), behind by log(2).
RoutedPositions some_positions() {
    return {4, 2, {.1, .3, .4, .2, .25, .25, .25, .25, .4, .1, .3, .2}, {2, 1, 0, 1, 0, 1}};
}

TEST(Routes, AreTurnedToTheLikeliestExpertLeftOut) {
    const Routes routes{{some_positions()}};
    const std::vector<Turn> all{{0, 0, 0, 3}, {0, 0, 1, 2}, {0, 0, 2, 2}};
    EXPECT_EQ(turns_within(routes, {10.0}), all);
    RoutedPositions positions = some_positions();
    for (const Turn& turn : all) turn_to(positions, turn);
    EXPECT_EQ(positions.choices, (std::vector<std::int32_t>{2, 3, 0, 2, 0, 2}));
    turn_to(positions, {0, 0, 2, 0});
    EXPECT_EQ(positions.choices[5], 2) << "it goes to 0 already";
    turn_to(positions, {0, 0, 0, 1});
    EXPECT_EQ(positions.choices[1], 1);
}

TEST(Routes, AreCloseByTheLogarithmsOfProbabilities) {
    const RoutedPositions positions = some_positions();
    const double ahead = std::log(.3) - std::log(.2);
    EXPECT_EQ(lead_of_choice(positions, 0), ahead);
    EXPECT_EQ(lead_of_choice(positions, 1), 0.0);
    EXPECT_DOUBLE_EQ(lead_of_choice(positions, 2), -std::log(3.0));
    const Routes routes{{positions}};
    EXPECT_EQ(turns_within(routes, {ahead}).size(), 3U);
    EXPECT_EQ(turns_within(routes, {std::nextafter(ahead, 0.0)}).size(), 2U);
}

TEST(Routes, AreCloseByTheirOwnLayersTolerance) {
    const Routes routes{{some_positions(), some_positions()}, {some_positions(), some_positions()}};
    const auto turns = turns_within(routes, {-10.0, 0.0});
    const std::vector<Turn> expected{{0, 1, 1, 2}, {0, 1, 2, 2}, {1, 1, 1, 2}, {1, 1, 2, 2}};
    EXPECT_EQ(turns, expected);
    EXPECT_TRUE(are_within(routes, {{0, 1, 2, 1}}, {0.0, 1.2}));
    EXPECT_FALSE(are_within(routes, {{1, 1, 2, 1}}, {1.2, 1.0}));
    EXPECT_TRUE(are_within(routes, {{1, 0, 0, 1}, {1, 0, 1, 1}}, {0.0, 0.0}));
}

TEST(Routes, HaveNoTurnsWhereNothingIsLeftOutOrNothingIsKnown) {
    const RoutedPositions all_experts{2, 2, {.5, .5}, {0, 1}};
    EXPECT_TRUE(turns_within({{all_experts}}, {10.0}).empty());
    const RoutedPositions unknown{2, 1, {none, none}, {0}};
    EXPECT_TRUE(turns_within({{unknown}}, {10.0}).empty());
    EXPECT_TRUE(turns_within({{some_positions()}}, {none}).empty());
}

TEST(Routes, DifferByTheRootMeanSquareOfEachLayer) {
    const RoutedPositions equal{2, 1, {1.0, 1.0}, {0}};
    const RoutedPositions other{2, 1, {std::exp(3.0), 1.0}, {0}};
    const RoutedPositions third{2, 1, {1.0, std::exp(-4.0)}, {0}};
    const auto rms =
        rms_of_differences({{equal, equal}, {equal, equal}}, {{other, equal}, {third, equal}});
    ASSERT_EQ(rms.size(), 2U);
    EXPECT_DOUBLE_EQ(rms[0], 2.5);  // of 3, 0, 0 and 4
    EXPECT_EQ(rms[1], 0.0);
}

}  // namespace
}  // namespace shardstone::validation
