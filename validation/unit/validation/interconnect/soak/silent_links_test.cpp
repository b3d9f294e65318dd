// SPDX-License-Identifier: BSD-3-Clause
// Which long waits mean that a link was silent, and which that a rank was held up or had no core.
#include "validation/interconnect/silent_links.hpp"

#include <gtest/gtest.h>

#include <string>

#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

namespace shardstone::validation {
namespace {

constexpr const char* their_link = "rank 1 on cn1 and rank 3 on cn3, between them";

/// A soak in which ranks 1 and 3 waited for each other for so long.
InterconnectSamples with_silence(double silent_s) {
    auto samples = planted_soak();
    samples.waits = waits_for_each_other(silent_s);
    return samples;
}

TEST(SilentLinks, AreThoseBetweenRanksThatWaitForEachOther) {
    const auto samples = with_silence(2.0);
    const auto found = silent_links(samples);
    ASSERT_EQ(found.size(), 1u) << "what both ends saw is one silence";
    EXPECT_EQ(found[0].fault, "silent");
    EXPECT_EQ(found[0].subject, their_link);
    EXPECT_EQ(found[0].begin_unix_s, 1060.0);
    EXPECT_EQ(found[0].end_unix_s, 1062.0);
    EXPECT_EQ(found[0].size_bytes, 1048576.0);
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    EXPECT_EQ(findings.reasons.at(0),
              std::string(their_link) + " was silent from 1970-01-01T00:17:40Z for 2.00 s");
}

TEST(SilentLinks, LastASecondLongerThanTheirMessages) {
    EXPECT_TRUE(silent_links(with_silence(1.005)).empty()) << "10 ms are usual";
    EXPECT_EQ(silent_links(with_silence(1.02)).size(), 1u);
}

/// Whichever of an exchange's messages it is: of one that is not timed, and of short ones of which
/// the quickest counts, there is no slow message.
TEST(SilentLinks, NeedNoSlowMessage) {
    auto samples = with_silence(2.0);
    for (auto& wait : samples.waits) wait.size_bytes = 8.0;
    ASSERT_TRUE(samples.slow.empty());
    EXPECT_EQ(silent_links(samples).size(), 1u);
    for (auto& wait : samples.waits) wait.size_bytes = 0.0;  // where ranks meet for a round
    const auto met = silent_links(samples);
    ASSERT_EQ(met.size(), 1u);
    EXPECT_FALSE(met[0].size_bytes >= 0.0);
}

TEST(SilentLinks, AWaitForARankThatIsHeldUpIsNoSilenceOfTheirLink) {
    auto samples = with_silence(2.0);
    // Rank 3 waits for rank 0 where ranks meet, before the stage in which rank 1 waits for it.
    samples.waits[1].awaited = 0.0;
    samples.waits[1].stage = 499.0;
    samples.waits[1].size_bytes = 0.0;
    EXPECT_TRUE(silent_links(samples).empty()) << "rank 0 computes";
    // Rank 0 waits as well, in a later step: what rank 3 waits for is under way.
    auto of_rank_0 = samples.waits[1];
    of_rank_0.rank = 0.0;
    of_rank_0.awaited = 2.0;
    of_rank_0.step = 1.0;
    samples.waits.push_back(of_rank_0);
    const auto found = silent_links(samples);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].subject, "rank 0 on cn0 and rank 3 on cn3, between them");
}

TEST(SilentLinks, TheLastAnswerOfAnExchangeCounts) {
    auto samples = with_silence(2.0);
    // Rank 3 has answered, and waits for room, or for a rank that waits for rank 1.
    samples.waits[1].awaited = -1.0;
    samples.waits[1].stage = 505.0;
    EXPECT_EQ(silent_links(samples).at(0).subject, their_link);
}

TEST(SilentLinks, OnlyTheTimeInWhichBothWaitCounts) {
    auto samples = with_silence(3.0);
    samples.waits[1].begin_unix_s += 1.5;
    const auto found = silent_links(samples);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].begin_unix_s, 1061.5);
    samples.waits[1].begin_unix_s += 0.6;
    EXPECT_TRUE(silent_links(samples).empty());
}

TEST(SilentLinks, AllPairsOfARoundAtOnceAreNotBlamed) {
    auto samples = with_silence(2.0);
    for (auto& row : samples.pairs) {
        const bool is_odd_or_even_pair = static_cast<int>(row.sender + row.receiver) % 2 == 0;
        row.round = is_odd_or_even_pair ? 2.0 : 7.0;  // ranks 1 and 3, 0 and 2
    }
    EXPECT_EQ(silent_links(samples).at(0).suspected, 1.0);
    for (auto wait : waits_for_each_other(2.0)) {
        wait.rank -= 1.0;
        wait.awaited -= 1.0;
        samples.waits.push_back(wait);
    }
    const auto found = silent_links(samples);
    EXPECT_EQ(found.size(), 2u);
    for (const auto& row : found) EXPECT_EQ(row.suspected, 0.0) << row.subject;
}

TEST(SilentLinks, RanksWithoutACoreProveNothing) {
    auto samples = with_silence(2.0);
    samples.waits[0].no_core_s = 0.6;
    samples.waits[1].no_core_s = 0.3;
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail) << "1.1 s are left";
    samples.waits[1].no_core_s = 0.5;
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::inconclusive);
    ASSERT_EQ(findings.episodes.size(), 1u);
    EXPECT_EQ(findings.episodes[0].suspected, 0.0);
    EXPECT_DOUBLE_EQ(findings.episodes[0].no_core_s, 1.1);
    EXPECT_EQ(findings.reasons.at(0), "undecided: " + std::string(their_link) +
                                          " was silent from 1970-01-01T00:17:40Z for 2.00 s, "
                                          "while its ranks together had no core for 1.10 s");
}

/// Others took this share of the one machine in the window of the silence.
InterconnectFindings beside_others(double share, InterconnectSamples samples) {
    auto& row = samples.conditions.emplace_back();
    row.part = "soak, window 6";
    row.machine = 0.0;
    row.others_share = share;
    row.waiting_share = row.stolen_share = 0.0;
    return find_in(samples);
}

TEST(SilentLinks, AMachineThatOthersHadProvesNothing) {
    EXPECT_EQ(beside_others(0.3, with_silence(2.0)).verdict, Acceptance::fail);
    const auto busy = beside_others(0.99, with_silence(2.0));
    EXPECT_EQ(busy.verdict, Acceptance::inconclusive);
    EXPECT_EQ(busy.episodes.at(0).disturbed, 1.0);
    EXPECT_EQ(busy.reasons.at(0), "undecided: " + std::string(their_link) +
                                      " was silent from 1970-01-01T00:17:40Z for 2.00 s "
                                      "(disturbed: others took 99 % of the cores)");
}

TEST(SilentLinks, BetweenTwoWindowsTheMachineWasAsInThem) {
    auto samples = with_silence(2.0);
    for (auto& row : samples.windows) {
        if (row.window == 5.0) row.end_unix_s = 1059.0;
        if (row.window == 6.0) row.begin_unix_s = 1063.0;
    }
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail);
    EXPECT_EQ(beside_others(0.99, samples).verdict, Acceptance::inconclusive);
}

}  // namespace
}  // namespace shardstone::validation
