// SPDX-License-Identifier: BSD-3-Clause
// What was slow, silent or wrong for a time of a soak is named with its times, and nothing else.
#include "validation/interconnect/episodes.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

namespace shardstone::validation {
namespace {

void slow_outgoing(InterconnectSamples& samples, int node, int first, int last) {
    for (int pass = first; pass <= last; ++pass) {
        for (int to = 0; to < 4; ++to) {
            if (to != node) plant_slow(samples, pass, node, to, 1.5);
        }
    }
}

TEST(Episodes, ThereAreNoneWithoutASoakOrFaults) {
    EXPECT_TRUE(find_episodes(InterconnectSamples{}).empty());
    EXPECT_TRUE(find_episodes(planted_soak()).empty());
    EXPECT_EQ(find_in(planted_soak()).verdict, Acceptance::pass);
}

TEST(Episodes, ADirectionOfANodeIsNamedWithTimesAndOdds) {
    auto samples = planted_soak();
    slow_outgoing(samples, 2, 50, 64);
    const auto found = find_episodes(samples);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].fault, "slow");
    EXPECT_EQ(found[0].subject, "cn2 (node 2 of the run), outgoing");
    EXPECT_EQ(found[0].node, 2.0);
    EXPECT_EQ(found[0].host, "cn2");
    EXPECT_EQ(found[0].direction, "outgoing");
    EXPECT_EQ(found[0].begin_unix_s, 1050.0);
    EXPECT_NEAR(found[0].end_unix_s, 1064.015, 1e-3);
    EXPECT_EQ(found[0].begin, "1970-01-01T00:17:30Z");
    EXPECT_EQ(found[0].end, "1970-01-01T00:17:45Z");
    EXPECT_EQ(found[0].passes, 15.0);
    EXPECT_EQ(found[0].messages, 45.0);
    EXPECT_NEAR(found[0].slowdown, 1.5, 0.02) << "a ratio, as in every table";
    EXPECT_GT(found[0].log10_odds, 2.0);
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    ASSERT_EQ(findings.reasons.size(), 1u);
    EXPECT_EQ(findings.reasons[0], in_words(found[0]));
}

TEST(Episodes, IncomingAndBothDirectionsAndAPairAreToldApart) {
    auto samples = planted_soak();
    for (int pass = 20; pass < 35; ++pass) {
        for (const int from : {0, 2, 3}) plant_slow(samples, pass, from, 1, 1.4);
    }
    slow_outgoing(samples, 3, 70, 84);
    for (int pass = 70; pass < 85; ++pass) {
        for (const int from : {0, 1, 2}) plant_slow(samples, pass, from, 3, 1.4);
    }
    for (int pass = 120; pass < 135; ++pass) plant_slow(samples, pass, 0, 2, 3.0);
    const auto found = find_episodes(samples);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].subject, "cn1 (node 1 of the run), incoming");
    EXPECT_EQ(found[1].subject, "cn3 (node 3 of the run)");
    EXPECT_EQ(found[1].direction, "");
    EXPECT_EQ(found[2].subject, "rank 0 on cn0 to rank 2 on cn2");
    EXPECT_NEAR(found[2].slowdown, 3.0, 0.05);
}

TEST(Episodes, TheWholeClusterIsToldAndNotBlamed) {
    auto samples = planted_soak();
    for (int node = 0; node < 4; ++node) slow_outgoing(samples, node, 30, 50);
    const auto found = find_episodes(samples);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].subject, "most of the cluster");
    EXPECT_EQ(found[0].suspected, 0.0);
    EXPECT_EQ(find_in(samples).verdict, Acceptance::pass);
}

/// Three spells of one pair, of 15 passes and about `each_s`, in a soak of 200 s.
InterconnectSamples with_brief_spells(double each_s) {
    auto samples = planted_soak();
    for (const int first : {10, 60, 110}) {
        for (int pass = 0; pass < 15; ++pass) {
            plant_slow(samples, first + pass, 0, 2, 3.0);
            samples.slow.back().unix_s = 1000.0 + first + each_s * pass / 15.0;
        }
    }
    return samples;
}

TEST(Episodes, BriefOnesAreToldAndBlamedOnlyIfTheyAreOften) {
    const auto seldom = find_episodes(with_brief_spells(0.5));  // 0.75 % of the soak
    ASSERT_EQ(seldom.size(), 3u);
    for (const auto& row : seldom) EXPECT_EQ(row.suspected, 0.0) << row.begin_unix_s;
    EXPECT_EQ(find_in(with_brief_spells(0.5)).verdict, Acceptance::pass);
    const auto often = find_episodes(with_brief_spells(0.9));  // 1.3 %
    ASSERT_EQ(often.size(), 3u);
    for (const auto& row : often) EXPECT_EQ(row.suspected, 1.0) << row.begin_unix_s;
    EXPECT_EQ(find_in(with_brief_spells(0.9)).verdict, Acceptance::fail);
    // One that lasts is held against it, and excuses no brief one beside it.
    auto lasting = with_brief_spells(0.5);
    for (int pass = 160; pass < 175; ++pass) plant_slow(lasting, pass, 0, 2, 3.0);
    const auto found = find_episodes(lasting);
    ASSERT_EQ(found.size(), 4u);
    for (const auto& row : found) EXPECT_EQ(row.suspected, row.begin_unix_s == 1160.0 ? 1.0 : 0.0);
}

TEST(Episodes, BriefOnesAreNotBlamedWhereTheWholeClusterWasSlowForLonger) {
    // Most of the cluster slow for 2 s, or for 4, beside spells of one pair of 2.5 s together.
    for (const int cluster_passes : {15, 30}) {
        auto samples = with_brief_spells(0.9);
        const double length_s = cluster_passes == 15 ? 2.0 : 4.0;
        for (int pass = 0; pass < cluster_passes; ++pass) {
            for (int node = 0; node < 4; ++node) {
                slow_outgoing(samples, node, 150 + pass, 151 + pass);
            }
        }
        for (auto& row : samples.slow) {
            if (row.pass < 150.0) continue;
            row.unix_s = 1150.0 + length_s * (row.pass - 150.0) / cluster_passes;
        }
        for (const auto& row : find_episodes(samples)) {
            const bool blamed = row.subject != "most of the cluster" && cluster_passes == 15;
            EXPECT_EQ(row.suspected, blamed ? 1.0 : 0.0) << row.subject << " " << cluster_passes;
        }
    }
}

TEST(Episodes, ARankThatStoodStillIsSilentAndItsPartnersAreNot) {
    auto samples = planted_soak();
    samples.standstills.push_back({1.0, 40.0, 1040.5, 1043.0, 2.5, 0.0});
    plant_slow(samples, 40, 3, 1, 250.0);
    samples.waits = waits_for_each_other(2.5);
    for (auto& wait : samples.waits) {
        wait.begin_unix_s -= 20.0;
        wait.end_unix_s -= 20.0;
    }
    const auto found = find_episodes(samples);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].fault, "silent");
    EXPECT_EQ(found[0].subject, "rank 1 on cn1");
    EXPECT_EQ(found[0].begin_unix_s, 1040.5);
    EXPECT_EQ(found[0].end_unix_s, 1043.0);
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail);
}

TEST(Episodes, AMachineThatStoodStillAsAWholeIsNotTheRanksFault) {
    auto samples = planted_soak();
    for (int rank = 0; rank < 4; ++rank) {
        samples.standstills.push_back(
            {static_cast<double>(rank), 40.0, 1040.0 + 0.1 * rank, 1045.0, 4.5, 0.0});
    }
    samples.standstills.push_back({2.0, 90.0, 1090.0, 1092.0, 2.0, 1.5});  // the hypervisor's
    for (const auto& row : find_episodes(samples)) EXPECT_EQ(row.suspected, 0.0) << row.subject;
    EXPECT_EQ(find_in(samples).verdict, Acceptance::pass);
}

TEST(Episodes, WrongDataOfOneSenderAreOneEpisodeUntilAMinuteWithout) {
    auto samples = planted_soak();
    for (const double unix_s : {1010.0, 1020.0, 1150.0}) {
        samples.wrong.push_back({2.0, 0.0, 1.0, 1.0, 5.0, 1.0, "0x1", "0x2", unix_s});
    }
    const auto found = find_episodes(samples);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].fault, "wrong");
    EXPECT_EQ(found[0].subject, "rank 2 on cn2");
    EXPECT_EQ(found[0].messages, 2.0);
    EXPECT_EQ(found[0].end_unix_s, 1020.0);
    EXPECT_EQ(found[1].begin_unix_s, 1150.0);
}

TEST(Episodes, ForgedRowsAreRefused) {
    const auto refuses = [](const auto& forge) {
        auto samples = planted_soak();
        plant_slow(samples, 60, 3, 1, 2.0);
        samples.standstills.push_back({1.0, 40.0, 1040.5, 1043.0, 2.5, 0.0});
        samples.waits = waits_for_each_other(2.0);
        samples.wrong.push_back({2.0, 0.0, 1.0, 1.0, 5.0, 1.0, "0x1", "0x2", 1010.0});
        find_episodes(samples);
        forge(samples);
        EXPECT_THROW(find_episodes(samples), Error);
    };
    refuses([](auto& samples) { samples.windows[5].receiver = 4.0; });
    refuses([](auto& samples) { samples.windows[5].passes = -1e3; });
    refuses([](auto& samples) { samples.slow[0].sender = -1.0; });
    refuses([](auto& samples) { samples.slow[0].pass = -1.0; });
    refuses([](auto& samples) { samples.slow[0].time_s = 1e300; });
    refuses([](auto& samples) { samples.standstills[0].rank = results::not_measured; });
    refuses([](auto& samples) { samples.standstills[0].end_unix_s = results::not_measured; });
    refuses([](auto& samples) { samples.waits[0].rank = 4.0; });
    refuses([](auto& samples) { samples.waits[1].end_unix_s = results::not_measured; });
    refuses([](auto& samples) { samples.wrong[0].sender = 1e9; });
    refuses([](auto& samples) { samples.wrong[0].unix_s = -1.0; });
}

// Slow messages beyond those that are kept are counted, and a spell is told from what is kept.
TEST(Episodes, AreNoneOfWhatIsAlwaysSlowWhereNotAllSlowMessagesWereKept) {
    auto samples = planted_soak();
    for (int pass = 0; pass < 200; ++pass) plant_slow(samples, pass, 0, 2, 1.5);
    EXPECT_TRUE(find_in(samples).episodes.empty());
    std::erase_if(samples.slow, [](const auto& row) { return row.pass >= 100.0; });
    const auto found = find_in(samples);
    EXPECT_TRUE(found.episodes.empty());
    EXPECT_EQ(found.verdict, Acceptance::pass);
}

}  // namespace
}  // namespace shardstone::validation
