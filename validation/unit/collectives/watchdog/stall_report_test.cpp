// SPDX-License-Identifier: BSD-3-Clause
// What is said of ranks that do not go on.
#include "collectives/watchdog/stall_report.hpp"

#include <gtest/gtest.h>

namespace shardstone::collectives {
namespace {

void expect_in(std::string_view part, std::string_view text) {
    EXPECT_NE(text.find(part), std::string_view::npos) << text;
}

RankView waiting() {
    return {0,          "n0",
            4710,       6.25,
            "point 12", "all_reduce ring, 64 KiB",
            true,       "step 3 of 7: 8 KiB from rank 1",
            'S'};
}

RankView stopped() {
    return {1, "n1", 4711, 5.5, "point 11", "all_gather ring, 1 KiB", false, "", 'T'};
}

TEST(StallReport, AStoppedRankIsNamedWithWhatItWasDoing) {
    const std::vector<RankView> views{waiting(), stopped()};
    const auto text = stall_headline({Stall::Kind::stopped, {1}, 5.0}, views);
    expect_in("rank 1 on n1 (in point 11, all_gather ring, 1 KiB) stopped for 5.0 s", text);
    // The record outlives the process.
    EXPECT_EQ(text.find("kill"), std::string::npos) << text;
    expect_in("kill -CONT 4711 ", stall_hint({Stall::Kind::stopped, {1}, 5.0}, views));
    EXPECT_EQ(stall_hint({Stall::Kind::standing, {1}, 5.0}, views), "");
    EXPECT_EQ(text.find("rank 0"), std::string::npos) << text;
    EXPECT_EQ(text.find("4710"), std::string::npos) << text;
}

TEST(StallReport, ARankThatHasEndedIsNamedWithTheTime) {
    RankView ended = stopped();
    ended.process_state = 'X';
    const std::vector<RankView> views{waiting(), ended};
    expect_in("lost: rank 1 on n1 (in point 11, all_gather ring, 1 KiB) ended 3.2 s ago (at ",
              stall_headline({Stall::Kind::ended, {1}, 3.25}, views));
    expect_in("rank 1 on n1, process 4711, ended: does not wait", stall_lines(views));
}

// One time is told: that of the first.
TEST(StallReport, OfSeveralTheFirstIsTold) {
    RankView other = stopped();
    other.rank = 2;
    const std::vector<RankView> views{stopped(), other};
    expect_in(
        "; rank 2 on n1 (in point 11, all_gather ring, 1 KiB) stopped, the first of them for 5.0",
        stall_headline({Stall::Kind::stopped, {1, 2}, 5.0}, views));
}

TEST(StallReport, EachRankHasALine) {
    const std::vector<RankView> views{waiting(), stopped()};
    EXPECT_EQ(stall_lines(views),
              "  rank 0 on n0, process 4710: waits 6.2 s in point 12, all_reduce ring, 64 KiB, for "
              "step 3 of 7: 8 KiB from rank 1\n"
              "  rank 1 on n1, process 4711, stopped: does not wait, last moved 5.5 s ago in point "
              "11, all_gather ring, 1 KiB\n");
}

TEST(StallReport, WhatNobodyToldIsSaidSo) {
    RankView view = waiting();
    view.phase = "", view.action = "", view.waits_for = "";
    EXPECT_EQ(stall_lines(std::span(&view, 1)),
              "  rank 0 on n0, process 4710: waits 6.2 s in its start, inside the MPI library\n");
}

TEST(StallReport, ASilentNodeIsNamedWithItsRanks) {
    std::vector<RankView> views{waiting()};
    for (const int rank : {2, 3}) {
        views.emplace_back();
        views.back().rank = rank;
        views.back().node = "n2";
    }
    expect_in("nothing is heard from node n2 (ranks 2, 3) for 8.0 s",
              stall_headline({Stall::Kind::silent, {2, 3}, 8.0}, views));
}

TEST(StallReport, WhereNobodyMovesTheOneThatWaitsForNobodyIsNamed) {
    const std::vector<RankView> views{waiting(), stopped()};
    expect_in("no rank has moved for 100.0 s",
              stall_headline({Stall::Kind::standing, {1}, 100.0}, views));
    expect_in("not waiting for others: rank 1 on n1",
              stall_headline({Stall::Kind::standing, {1}, 100.0}, views));
    expect_in("all of them wait for others",
              stall_headline({Stall::Kind::standing, {}, 100.0}, views));
    expect_in("rank 1 on n1 (in point 11, all_gather ring, 1 KiB) without any sign",
              stall_headline({Stall::Kind::frozen, {1}, 30.0}, views));
}

TEST(StallReport, RanksThatAreNotThereWhenMpiStartsAreNamed) {
    const std::vector<int> some{0, 1, 4};
    const std::string said = start_headline(300.0, "n1", some, 8);
    expect_in("stalled: MPI has not come up for 300.0 s", said);
    expect_in("ranks 0 to 1, 4 on n1 wait for ranks 2 to 3, 5 to 7, of which nothing is known here",
              said);
    const std::vector<int> one{3};
    expect_in("rank 3 on n1 waits for ranks 0 to 2,", start_headline(3.0, "n1", one, 4));
    expect_in("for rank 1,", start_headline(3.0, "n1", std::vector<int>{0}, 2));
    expect_in("ranks 0 to 1 on n1, which is all of them",
              start_headline(3.0, "n1", std::vector<int>{0, 1}, 2));
}

TEST(StallReport, ThousandsOfRanksAreCounted) {
    const std::vector<RankView> views(100, waiting());
    expect_in("  and 36 more\n", stall_lines(views));
}

TEST(StallReport, RanksThatEndedBeforeMpiCameUpAreNamedWhereTheyCanBe) {
    const std::vector<int> here{0, 2};
    expect_in("lost: rank 1 on n1 ended before MPI came up", ended_headline(1, "n1", here, 3));
    expect_in("lost: ranks 1, 3 on n1 ended", ended_headline(2, "n1", here, 4));
    expect_in("lost: 1 of the 3 ranks on n1 (beside ranks 0, 2) ended",
              ended_headline(1, "n1", here, 8));
}

}  // namespace
}  // namespace shardstone::collectives
