// SPDX-License-Identifier: BSD-3-Clause
// How often a rank looks before it sleeps, after so many waits in vain and losses of its core.
#include <gtest/gtest.h>

#include "collectives/cluster/doorbell.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// A clock that each look at it puts forward.
double clock_step_s = 0.0, clock_now_s = 0.0;
double stepping_clock_s() {
    return clock_now_s += clock_step_s;
}

/// Whether the core came back in time, where passing it on took so long.
bool passed_on_for(double turn_s, Patience& patience) {
    clock_step_s = turn_s;
    clock_now_s = 0.0;
    return patience.pause(stepping_clock_s);
}

void lose_the_core(int times, Patience& patience) {
    for (int i = 0; i < times; ++i) EXPECT_FALSE(passed_on_for(1.0, patience));
}

/// Waits in which the core is not passed on.
int kept_waits(Patience& patience) {
    int waits = 0;
    for (; patience.looks() == 1; ++waits) patience.learn(0, /*news=*/true);
    return waits;
}

/// Waits that end well after the core was passed on, or in sleep.
void wait(int times, bool news, Patience& patience) {
    for (int i = 0; i < times; ++i) patience.learn(/*empty_looks=*/1, news);
}

/// Two ranks on one core.
class PatienceInTurns : public testing::Test {
  protected:
    void SetUp() override { Waiter::configure(2, 1); }
    void TearDown() override { Waiter::configure(1, 1); }

    Patience patience_;
};

TEST_F(PatienceInTurns, EightLossesAreForgivenThenWaitsDoubleUpTo512) {
    EXPECT_EQ(patience_.looks(), 8);
    for (int loss = 1; loss <= 8; ++loss) {
        lose_the_core(1, patience_);
        EXPECT_EQ(kept_waits(patience_), 0) << "loss " << loss;
    }
    for (const int waits : {32, 64, 128, 256, 512, 512, 512}) {
        lose_the_core(1, patience_);
        EXPECT_EQ(kept_waits(patience_), waits);
        EXPECT_EQ(patience_.looks(), 8);
    }
}

TEST_F(PatienceInTurns, ALossIsATurnOfMoreThan200MicrosecondsForEachRank) {
    EXPECT_TRUE(passed_on_for(399e-6, patience_));
    EXPECT_FALSE(passed_on_for(401e-6, patience_));
    Waiter::configure(3, 1);
    EXPECT_TRUE(passed_on_for(599e-6, patience_));
    EXPECT_FALSE(passed_on_for(601e-6, patience_));
}

TEST_F(PatienceInTurns, LossesAreForgottenAfter257WaitsThatEndWell) {
    lose_the_core(8, patience_);
    wait(256, /*news=*/true, patience_);
    lose_the_core(1, patience_);
    EXPECT_EQ(kept_waits(patience_), 32) << "one wait too few";
    wait(256, /*news=*/true, patience_);
    lose_the_core(1, patience_);
    EXPECT_EQ(kept_waits(patience_), 64) << "counted anew from the last loss";
    wait(257, /*news=*/true, patience_);
    lose_the_core(8, patience_);
    EXPECT_EQ(kept_waits(patience_), 0) << "forgotten";
    lose_the_core(1, patience_);
    EXPECT_EQ(kept_waits(patience_), 32);
}

TEST_F(PatienceInTurns, FourWaitsInVainEndItAndEverySixteenthIsTriedAgain) {
    for (int in_vain = 0; in_vain < 40; ++in_vain) {
        const bool hopeful = in_vain < 4 || in_vain == 16 || in_vain == 32;
        EXPECT_EQ(patience_.looks(), hopeful ? 8 : 1) << in_vain;
        wait(1, /*news=*/false, patience_);
    }
    wait(1, /*news=*/true, patience_);
    EXPECT_EQ(patience_.looks(), 8);
}

TEST(Patience, WithACoreOfItsOwnARankLooksLongerAndLosesNothing) {
    Waiter::configure(1, 1);
    Patience patience;
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(passed_on_for(1.0, patience));
    EXPECT_EQ(patience.looks(), 2000);
    wait(4, /*news=*/false, patience);
    EXPECT_EQ(patience.looks(), 16);
}

}  // namespace
}  // namespace shardstone::validation
