// SPDX-License-Identifier: BSD-3-Clause
// When a rank is said not to go on, and when not, by a clock of the test's own.
#include "collectives/watchdog/judge.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace shardstone::collectives {
namespace {

constexpr double look_s = 0.25;

/// Three ranks that go on unless told otherwise, looked at four times a second.
class Ranks {
  public:
    explicit Ranks(StallLimits limits = {}) : judge(3, limits) {}

    /// `change` is applied to what is seen of each rank before every look.
    void go(double seconds, const std::function<void(int, Sight&)>& change,
            double between_s = look_s) {
        for (double s = 0.0; s < seconds - 1e-9; s += between_s) {
            for (int rank = 0; rank < 3; ++rank) {
                Sight& sight = sights[static_cast<std::size_t>(rank)];
                ++sight.heartbeat;
                change(rank, sight);
            }
            judge.look(between_s, sights);
        }
    }

    Judge judge;
    std::vector<Sight> sights{3};
};

void works(Sight& sight) {
    sight.waits = false;
    sight.cpu_ns += 200'000'000;
}

/// Spins or naps: its CPU time is no sign of work.
void waits(Sight& sight) {
    sight.waits = true;
    sight.cpu_ns += 50'000'000;
}

void is_stopped(Sight& sight) {
    --sight.heartbeat;
    sight.process_state = 'T';
}

TEST(Judge, NamesAnEndedRankAtOnceWhereMessagesFail) {
    const auto one_ends = [](int rank, Sight& sight) {
        waits(sight);
        if (rank != 1) return;
        --sight.heartbeat;
        sight.process_state = 'X';
    };
    const auto all_live = [](int, Sight& sight) { works(sight); };
    Ranks ranks;
    ranks.go(10.0, all_live);
    ranks.go(0.5, one_ends);
    EXPECT_FALSE(ranks.judge.lifeless());
    ranks.judge.note_failed_messages();
    ASSERT_TRUE(ranks.judge.lifeless());
    EXPECT_EQ(ranks.judge.lifeless()->kind, Stall::Kind::ended);
    EXPECT_EQ(ranks.judge.lifeless()->ranks, std::vector{1});
    // The processes of all are examined, and a rank that lives is not the reason.
    Ranks healthy;
    healthy.go(10.0, all_live);
    EXPECT_FALSE(healthy.judge.is_suspect(1));
    healthy.judge.note_failed_messages();
    EXPECT_TRUE(healthy.judge.is_suspect(1));
    EXPECT_FALSE(healthy.judge.lifeless());
}

TEST(Judge, NamesAStoppedRankAfterFiveSeconds) {
    Ranks ranks;
    ranks.go(60.0, [](int, Sight& sight) { works(sight); });
    EXPECT_FALSE(ranks.judge.lifeless());
    const auto one_stops = [](int rank, Sight& sight) {
        rank == 1 ? is_stopped(sight) : waits(sight);
    };
    ranks.go(4.75, one_stops);
    EXPECT_FALSE(ranks.judge.lifeless());
    EXPECT_TRUE(ranks.judge.is_suspect(1)) << "its state is looked at before";
    ranks.go(0.25, one_stops);
    const auto stall = ranks.judge.lifeless();
    ASSERT_TRUE(stall);
    EXPECT_EQ(stall->kind, Stall::Kind::stopped);
    EXPECT_EQ(stall->ranks, std::vector<int>{1});
    EXPECT_DOUBLE_EQ(stall->for_s, 5.0);
}

// Where no launcher ends the others; one that is stopped meanwhile is not to blame.
TEST(Judge, NamesARankThatHasEndedAfterThreeSeconds) {
    for (const char gone : {'X', 'Z'}) {
        Ranks ranks;
        ranks.go(1.0, [](int, Sight& sight) { works(sight); });
        const auto one_ends = [&](int rank, Sight& sight) {
            rank == 2 ? waits(sight) : is_stopped(sight);
            if (rank == 1) sight.process_state = gone;
        };
        ranks.go(2.75, one_ends);
        EXPECT_FALSE(ranks.judge.lifeless()) << "mpiexec may be at it";
        ranks.go(2.5, one_ends);
        const auto stall = ranks.judge.lifeless();
        ASSERT_TRUE(stall);
        EXPECT_EQ(stall->kind, Stall::Kind::ended);
        EXPECT_EQ(stall->ranks, std::vector<int>{1});
        EXPECT_DOUBLE_EQ(stall->for_s, 5.25);
        ranks.go(0.25, [&](int rank, Sight& sight) {
            one_ends(rank, sight);
            sight.left = rank == 1;
        });
        EXPECT_EQ(ranks.judge.lifeless()->kind, Stall::Kind::stopped)
            << "one that has left may end";
    }
}

TEST(Judge, NamesAllThatAreStoppedByThen) {
    Ranks ranks;
    ranks.go(1.0, [](int, Sight& sight) { works(sight); });
    ranks.go(3.5, [](int rank, Sight& sight) { rank == 2 ? is_stopped(sight) : waits(sight); });
    ranks.go(1.5, [](int rank, Sight& sight) { rank != 1 ? is_stopped(sight) : waits(sight); });
    const auto stall = ranks.judge.lifeless();
    ASSERT_TRUE(stall);
    EXPECT_EQ(stall->ranks, (std::vector<int>{0, 2}));
    EXPECT_DOUBLE_EQ(stall->for_s, 5.0);
}

TEST(Judge, WhatGoesOnAgainIsForgiven) {
    Ranks ranks;
    for (int i = 0; i < 20; ++i) {
        ranks.go(4.5, [](int rank, Sight& sight) { rank == 1 ? is_stopped(sight) : waits(sight); });
        ranks.go(1.0, [](int, Sight& sight) {
            sight.process_state = ' ';
            works(sight);
        });
        EXPECT_FALSE(ranks.judge.lifeless());
    }
}

TEST(Judge, AQuietHeartWithoutAStopIsFrozenOnlyAfterLong) {
    Ranks ranks;
    const auto one_is_late = [](int rank, Sight& sight) {
        if (rank == 1) --sight.heartbeat;
        waits(sight);
    };
    ranks.go(29.75, one_is_late);
    EXPECT_FALSE(ranks.judge.lifeless()) << "on a machine that swaps";
    ranks.go(0.25, one_is_late);
    const auto stall = ranks.judge.lifeless();
    ASSERT_TRUE(stall);
    EXPECT_EQ(stall->kind, Stall::Kind::frozen);
    EXPECT_EQ(stall->ranks, std::vector<int>{1});
}

TEST(Judge, ASuspendedMachineIsNotLate) {
    Ranks ranks;
    ranks.go(1.0, [](int, Sight& sight) { works(sight); });
    // Nobody's heart beats between two looks that are an hour apart.
    for (int i = 0; i < 9; ++i) {
        for (auto& sight : ranks.sights) sight.process_state = 'T';
        ranks.judge.look(3600.0, ranks.sights);
    }
    EXPECT_FALSE(ranks.judge.lifeless());
    EXPECT_LT(ranks.judge.standing_s(), 5.0);
}

TEST(Judge, ADebuggerIsWaitedFor) {
    Ranks ranks;
    ranks.go(1000.0, [](int rank, Sight& sight) {
        if (rank == 0) {
            --sight.heartbeat;
            sight.process_state = 't';
        } else {
            waits(sight);
        }
    });
    EXPECT_FALSE(ranks.judge.lifeless());
    EXPECT_EQ(ranks.judge.standing_s(), 0.0);
}

TEST(Judge, AllThatWaitStand) {
    Ranks ranks;
    ranks.go(10.0, [](int, Sight& sight) { works(sight); });
    ranks.go(50.0, [](int, Sight& sight) { waits(sight); });
    EXPECT_DOUBLE_EQ(ranks.judge.standing_s(), 50.0);
    EXPECT_DOUBLE_EQ(ranks.judge.may_stand_s(), 100.0);
    EXPECT_TRUE(ranks.judge.not_waiting().empty());
    EXPECT_FALSE(ranks.judge.lifeless());
    constexpr double no_others = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(ranks.judge.overdue_s(no_others));
    ranks.go(55.0, [](int, Sight& sight) { waits(sight); });
    EXPECT_DOUBLE_EQ(ranks.judge.overdue_s(no_others).value(), 105.0);
    EXPECT_DOUBLE_EQ(ranks.judge.overdue_s(101.0).value(), 101.0);
    EXPECT_FALSE(ranks.judge.overdue_s(99.0)) << "another node goes on";
}

TEST(Judge, WhoWaitsForNobodyIsNamed) {
    Ranks ranks;
    ranks.go(50.0, [](int rank, Sight& sight) {
        rank == 2 ? void(sight.waits = false) : waits(sight);  // asleep: no CPU time
    });
    EXPECT_DOUBLE_EQ(ranks.judge.standing_s(), 50.0);
    EXPECT_EQ(ranks.judge.not_waiting(), std::vector<int>{2});
}

TEST(Judge, WhileOneWorksNobodyStands) {
    Ranks ranks;
    ranks.go(1000.0, [](int rank, Sight& sight) { rank == 2 ? works(sight) : waits(sight); });
    EXPECT_LT(ranks.judge.standing_s(), 0.5);
    // Also in the turns that hundreds take on a core.
    ranks.go(1000.0, [](int rank, Sight& sight) {
        rank == 2 ? void(sight.cpu_ns += 150'000) : waits(sight);
        if (rank == 2) sight.waits = false;
    });
    EXPECT_LT(ranks.judge.standing_s(), 0.5);
}

TEST(Judge, AMoveIsASignOfLifeToo) {
    Ranks ranks;
    ranks.go(1000.0, [](int, Sight& sight) {
        waits(sight);
        ++sight.moves;
    });
    EXPECT_LT(ranks.judge.standing_s(), 0.5);
}

TEST(Judge, WhoPausedLongMayPauseTenTimesAsLong) {
    Ranks ranks;
    ranks.go(40.0, [](int, Sight& sight) { waits(sight); });
    ranks.go(1.0, [](int, Sight& sight) { works(sight); });
    EXPECT_NEAR(ranks.judge.may_stand_s(), 400.0, 10.0);
    Ranks strict(StallLimits::all(20.0));
    strict.go(40.0, [](int, Sight& sight) { waits(sight); });
    strict.go(1.0, [](int, Sight& sight) { works(sight); });
    EXPECT_DOUBLE_EQ(strict.judge.may_stand_s(), 20.0) << "what was asked for holds";
}

TEST(Judge, WhoHasLeftIsNotMissed) {
    Ranks ranks;
    ranks.go(100.0, [](int rank, Sight& sight) {
        sight.left = rank != 0;
        rank == 0 ? waits(sight) : void(--sight.heartbeat);
    });
    EXPECT_FALSE(ranks.judge.lifeless());
    EXPECT_DOUBLE_EQ(ranks.judge.standing_s(), 100.0) << "of the one that is left";
    EXPECT_TRUE(ranks.judge.not_waiting().empty());
    ranks.go(1.0, [](int, Sight& sight) { sight.left = true; });
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(ranks.judge.standing_s(), infinite);
    EXPECT_FALSE(ranks.judge.overdue_s(infinite)) << "a run at its end raises no alarm";
    EXPECT_EQ(ranks.judge.overdue_s(100.0), 100.0) << "one of another node may";
}

TEST(StallLimits, OneNumberIsForAll) {
    const auto limits = StallLimits::all(7.0);
    for (const double one :
         {limits.stopped_s, limits.frozen_s, limits.silent_s, limits.standing_s}) {
        EXPECT_EQ(one, 7.0);
    }
    EXPECT_FALSE(limits.follows_pace);
    EXPECT_EQ(limits.ended_s, StallLimits{}.ended_s) << "what has ended does not come back";
    EXPECT_EQ(StallLimits::all(1.0).ended_s, 1.0);
}

}  // namespace
}  // namespace shardstone::collectives
