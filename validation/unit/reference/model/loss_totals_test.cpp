// SPDX-License-Identifier: BSD-3-Clause
// Losses of passes are added up exactly, and what cannot be makes the total no number.
#include "reference/model/loss_totals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardstone::validation {
namespace {

using reference::LossSums;
using reference::LossTotals;

constexpr double limit = 1 << 20;

TEST(LossTotals, TakeEachSumTimesTheFactorAndClearIt) {
    LossTotals totals{};
    LossSums sums;
    for (int pass = 1; pass <= 3; ++pass) {
        sums = {.loss = 8.0 * pass, .balance = 4.0, .router_z = -2.0, .dropped = 16.0};
        reference::add_losses(HostQueue(), sums, 0.25, limit, totals);
        EXPECT_EQ(sums.loss, 0.0);
        EXPECT_EQ(sums.dropped, 0.0);
    }
    EXPECT_EQ(totals[0].value(), 12.0);
    EXPECT_EQ(totals[1].value(), 3.0);
    EXPECT_EQ(totals[2].value(), -1.5);
    EXPECT_EQ(totals[3].value(), 12.0);
}

// 2^-40 would be lost in a sum of FP64 that begins with 2^19.
TEST(LossTotals, LoseNothing) {
    LossTotals totals{};
    for (const double loss : {0x1p19, 0x1p-40, -0x1p19}) {
        LossSums sums{.loss = loss};
        reference::add_losses(HostQueue(), sums, 1.0, limit, totals);
    }
    EXPECT_EQ(totals[0].value(), 0x1p-40);
}

TEST(LossTotals, AreNoNumberAfterALossThatCannotBeAdded) {
    for (const double loss : {2 * limit, -2 * limit, std::numeric_limits<double>::quiet_NaN()}) {
        LossTotals totals{};
        LossSums sums{.loss = loss, .balance = 1.0};
        reference::add_losses(HostQueue(), sums, 1.0, limit, totals);
        EXPECT_TRUE(std::isnan(totals[0].value()));
        EXPECT_EQ(totals[1].value(), 1.0);
    }
}

}  // namespace
}  // namespace shardstone::validation
