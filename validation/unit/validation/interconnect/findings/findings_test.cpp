// SPDX-License-Identifier: BSD-3-Clause
// Samples to verdict: what is planted is named, in the right column and unit.
#include "validation/interconnect/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

const results::PairRow& pair_of(const InterconnectFindings& findings, double sender,
                                double receiver, double size_bytes) {
    const auto row = std::ranges::find_if(findings.pairs, [&](const results::PairRow& one) {
        return one.sender == sender && one.receiver == receiver && one.size_bytes == size_bytes;
    });
    if (row == findings.pairs.end()) throw std::runtime_error("no such pair");
    return *row;
}

TEST(InterconnectFindings, HealthyClusterPasses) {
    const auto findings = find_in(planted_samples());
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    EXPECT_TRUE(findings.reasons.empty());
    EXPECT_TRUE(findings.suspects.empty());
    EXPECT_EQ(findings.pairs.size(), 24u);
    EXPECT_EQ(findings.rank_tests.size(), 12u);
    const auto& small = pair_of(findings, 1, 2, 8);
    EXPECT_NEAR(small.time_s, 20e-6, 0.5e-6) << "half of the time to the acknowledgement";
    const auto& large = pair_of(findings, 1, 2, 1 << 20);
    EXPECT_NEAR(large.time_s, 10.02e-3, 0.1e-3) << "less half of that of 8 bytes";
    EXPECT_NEAR(large.rate_gb_s, 0.1046, 1e-3);
    EXPECT_EQ(large.samples, 10.0);
    EXPECT_LE(large.time_low_s, large.time_s);
    EXPECT_GE(large.time_high_s, large.time_s);
    EXPECT_NEAR(large.factor, 1.0, 0.01);
    ASSERT_EQ(findings.paths.size(), 1u);
    EXPECT_NEAR(findings.paths[0].alpha_s, 20e-6, 1e-6);
    EXPECT_NEAR(findings.paths[0].rate_gb_s, 0.10486, 1e-3);
    EXPECT_EQ(findings.paths[0].tests, 12.0);
}

TEST(InterconnectFindings, SlowDirectionOfANodeIsNamed) {
    auto samples = planted_samples();
    slow_down_sender(samples, 2, 1.0 / 0.7);
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    ASSERT_EQ(findings.suspects.size(), 1u);
    const auto& suspect = findings.suspects[0];
    EXPECT_EQ(suspect.node, 2.0);
    EXPECT_EQ(suspect.host, "cn2");
    EXPECT_TRUE(holds(suspect.part, "outgoing")) << suspect.part;
    EXPECT_EQ(suspect.size_bytes, 1 << 20);
    EXPECT_NEAR(suspect.slowdown, 1.43, 0.03) << "a ratio, as in every table";
    EXPECT_GT(suspect.log10_odds, 3.0);
    EXPECT_EQ(suspect.suspected, 1.0);
    EXPECT_NEAR(pair_of(findings, 2, 0, 1 << 20).factor, 1.43, 0.02);
    EXPECT_NEAR(pair_of(findings, 0, 2, 1 << 20).factor, 1.0, 0.02);
    ASSERT_FALSE(findings.reasons.empty());
    EXPECT_TRUE(holds(findings.reasons[0],
                      " cn2 (node 2 of the run), outgoing: messages of 1 MiB take 43 % longer"))
        << findings.reasons[0];
    EXPECT_TRUE(holds(suspect.rivals, " cn2 (node 2 of the run), outgoing (")) << suspect.rivals;
}

/// Whoever waits for a core waits longer than any memory does.
TEST(InterconnectFindings, TimesInsideNodesWhoseRanksShareCoresAreNotJudged) {
    auto samples = planted_samples();
    for (auto& place : samples.places) place.node = 0.0;
    slow_down_sender(samples, 2, 5.0);
    for (auto& place : samples.places) place.sharers = 1.0;
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail);
    EXPECT_FALSE(find_in(samples).unjudged);
    for (auto& place : samples.places) place.sharers = 4.0;
    EXPECT_EQ(find_in(samples).verdict, Acceptance::pass);
    EXPECT_TRUE(find_in(samples).unjudged);
}

TEST(InterconnectFindings, LatenciesOfRanksThatShareCoresAreNotJudged) {
    auto samples = planted_samples();
    for (auto& row : samples.pairs) {
        if (row.sender == 1.0 && row.size_bytes == 8.0) row.time_s *= 5.0;
    }
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail);
    for (auto& place : samples.places) place.sharers = 4.0;
    EXPECT_EQ(find_in(samples).verdict, Acceptance::pass);
}

TEST(InterconnectFindings, SlowRankIsNamed) {
    auto samples = planted_samples();
    for (auto& row : samples.ranks) {
        if (row.rank == 3.0 && row.test == "memory") row.time_s *= 1.25;
    }
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    ASSERT_EQ(findings.reasons.size(), 1u);
    EXPECT_TRUE(holds(findings.reasons[0], "rank 3 on cn3 is slow: memory takes 26 % longer"))
        << findings.reasons[0];
    for (const auto& row : findings.rank_tests) {
        EXPECT_EQ(row.suspected, row.rank == 3.0 && row.test == "memory" ? 1.0 : 0.0);
        EXPECT_EQ(row.turns, 5.0);
    }
}

TEST(InterconnectFindings, WrongDataFails) {
    auto samples = planted_samples();
    samples.wrong.push_back({1, 3, 99, 2, 1000, 1, "0x10", "0x30"});
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    EXPECT_EQ(findings.reasons.at(0),
              "wrong data: rank 3 on cn3 received from rank 1 on cn1 in step 99: 2 wrong elements, "
              "the first is element 1000 (0x30 instead of 0x10)");
}

/// The limit on the rate of 1 MiB.
InterconnectFindings with_limit(double limit_mb_s, double passes = 10) {
    auto samples = planted_samples();
    std::erase_if(samples.pairs, [&](const auto& row) { return row.pass >= passes; });
    samples.limits = parse_acceptance(
        "[[limit]]\nquantity = 'rate between nodes'\nstatistic = 'median'\nsize = '1M'\nlimit = " +
            std::to_string(limit_mb_s) + "\nunit = 'MB/s'",
        "limits");
    return find_in(samples);
}

TEST(InterconnectFindings, LimitsAreKeptBrokenOrUndecided) {
    const auto kept = with_limit(90.0);
    EXPECT_EQ(kept.verdict, Acceptance::pass);
    ASSERT_EQ(kept.acceptance.size(), 1u);
    EXPECT_EQ(kept.acceptance[0].verdict, "pass");
    EXPECT_NEAR(kept.acceptance[0].value, 104.6, 1.0) << "of the worst pair, in MB/s";
    const auto broken = with_limit(120.0);
    EXPECT_EQ(broken.verdict, Acceptance::fail);
    EXPECT_TRUE(holds(broken.reasons.at(0), "limit 120 MB/s")) << broken.reasons[0];
    const auto undecided = with_limit(90.0, 4);
    EXPECT_EQ(undecided.verdict, Acceptance::inconclusive);
    EXPECT_GT(undecided.acceptance[0].further, 0.0);
    EXPECT_TRUE(holds(undecided.reasons.at(0), "more samples")) << undecided.reasons[0];
}

/// A limit in microseconds.
std::string limit_us(const std::string& quantity, const std::string& statistic,
                     const std::string& more) {
    return "[[limit]]\nquantity = '" + quantity + "'\nstatistic = '" + statistic +
           "'\nunit = 'us'\n" + more + "\n";
}

// Ten samples of each direction estimate no p99, but bound it.
TEST(InterconnectFindings, TheWorstOfAnUndecidedPercentileHasTheWorstBound) {
    auto samples = planted_samples();
    for (auto& row : samples.pairs) {
        const bool is_worst = row.sender == 2.0 && row.receiver == 1.0;
        if (row.size_bytes == 8.0 && is_worst) row.time_s *= 1.5;
    }
    samples.limits = parse_acceptance(
        limit_us("latency between nodes", "p99", "size = '8'\nlimit = 5000"), "limits");
    const auto row = find_in(samples).acceptance.at(0);
    EXPECT_EQ(row.verdict, "inconclusive");
    EXPECT_TRUE(std::isnan(row.value));
    EXPECT_EQ(row.subject, "rank 2 on cn2 to rank 1 on cn1");
}

// Four ranks of five turns, and twelve directions of ten passes; each interval of sixteen misses on
// either side by at most 0.05 / 32, of wake-ups by half of that: eleven samples of a median, 643 of
// a p99.
TEST(InterconnectFindings, OfALimitTheSamplesThatDecideAreTold) {
    auto samples = planted_samples();
    samples.limits =
        parse_acceptance(limit_us("wake-up delay", "median", "limit = 2000") +
                             limit_us("latency between nodes", "p99", "size = '8'\nlimit = 50"),
                         "limits");
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::inconclusive);
    EXPECT_EQ(findings.acceptance.at(0).further, 6.0);
    EXPECT_EQ(findings.acceptance[0].most, 1536.0);
    EXPECT_EQ(findings.acceptance[0].confidence, 1.0 - 0.05 / 32);
    EXPECT_TRUE(holds(findings.reasons.at(0), ": needs 6 more samples: give a larger --budget"))
        << findings.reasons[0];
    EXPECT_EQ(findings.acceptance.at(1).further, 633.0);
    EXPECT_EQ(findings.acceptance[1].confidence, 1.0 - 0.05 / 16);
    EXPECT_TRUE(holds(findings.reasons.at(1),
                      ": p99 of the shortest of 8 at least 20.12 us, "
                      "limit 50 us: needs 633 more samples"))
        << findings.reasons[1];
}

TEST(InterconnectFindings, LimitsThatNoRunCanKeepAreNamedBeforeAnythingIsMeasured) {
    const auto never = [](const std::string& file) {
        return limits_never_kept(parse_acceptance(file, "limits")).size();
    };
    const std::string ratio = "limit = 2\nunit = 'times'\n";
    const auto victim = [&](const char* statistic) {
        return "[[limit]]\nquantity = 'slowdown of a victim'\nsize = '8'\nstatistic = '" +
               std::string(statistic) + "'\n" + ratio;
    };
    EXPECT_EQ(never(victim("p99")), 0U) << "368 passes of 1536";
    EXPECT_EQ(never(victim("p99.9")), 1U) << "3688";
    EXPECT_EQ(never("[[limit]]\nquantity = 'traffic over prediction'\nstatistic = 'p99'\n" + ratio),
              0U)
        << "of collectives up to 1000";
    EXPECT_EQ(never(limit_us("wake-up delay", "median", "limit = 1") +
                    limit_us("wake-up delay", "mean", "limit = 1") +
                    limit_us("clock offset", "p90", "limit = 1")),
              0U)
        << "each reading of a clock is a bound";
    const auto words = limits_never_kept(
        parse_acceptance(limit_us("wake-up delay", "p99.9", "limit = 1"), "limits"));
    EXPECT_EQ(
        words.at(0),
        "the limit on the p99.9 of 'wake-up delay' may be broken, but cannot be kept: that takes "
        "at least 4380 samples of each pair or rank, and a run takes at most 1536: limit the "
        "median or the mean");
}

TEST(InterconnectFindings, OfALimitWithoutSamplesNothingIsKnown) {
    auto samples = planted_samples();
    samples.limits = parse_acceptance(
        "[[limit]]\nquantity = 'latency inside nodes'\nstatistic = 'median'\nsize = '8'\n"
        "limit = 5\nunit = 'us'",
        "limits");
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::inconclusive);
    EXPECT_EQ(findings.acceptance.at(0).subject, "nothing measured");
}

TEST(InterconnectFindings, OneRankAloneIsInconclusive) {
    auto samples = planted_samples();
    samples.pairs.clear();
    std::erase_if(samples.ranks, [](const auto& row) { return row.rank > 0.0; });
    samples.places.resize(1);
    EXPECT_EQ(find_in(samples).verdict, Acceptance::inconclusive);
}

TEST(InterconnectFindings, APairThatMayBeSlowIsUndecidedAndNoPass) {
    auto samples = planted_samples();
    for (auto& row : samples.pairs) {
        if (row.sender == 0.0 && row.receiver == 2.0 && row.size_bytes > 8.0) row.time_s *= 1.08;
    }
    const auto found = find_in(samples);
    EXPECT_EQ(found.verdict, Acceptance::inconclusive);
    for (const auto& one : found.suspects) EXPECT_EQ(one.suspected, 0.0);
    ASSERT_FALSE(found.reasons.empty());
    EXPECT_TRUE(holds(found.reasons.front(), "undecided: ")) << found.reasons.front();
    EXPECT_TRUE(holds(found.reasons.front(), "pair")) << found.reasons.front();
}

// Of 8 B there and 8 B back half, of 1 MiB there and 8 B back the rest.
TEST(InterconnectFindings, TheWayBackIsTakenOffOnce) {
    auto samples = planted_samples();
    for (auto& row : samples.pairs) row.time_s = row.size_bytes == 8.0 ? 40e-6 : 100e-6;
    for (const auto& row : find_in(samples).pairs) {
        EXPECT_NEAR(row.time_s, row.size_bytes == 8.0 ? 20e-6 : 80e-6, 1e-12);
    }
}

// As on machines that are busy: a rate below zero, or bounds that are, would be none.
TEST(InterconnectFindings, LargerMessagesThatTakeNoLongerHaveNoRate) {
    auto samples = planted_samples();
    const auto paths_with = [&](double senders) {
        auto some = samples;
        for (auto& row : some.pairs) {
            if (row.size_bytes > 8.0 && row.sender < senders) row.time_s = 1e-9;
        }
        return find_in(some).paths.at(0);
    };
    const auto sound = paths_with(0.0);
    EXPECT_GT(sound.rate_low_gb_s, 0.0);
    EXPECT_GE(sound.rate_high_gb_s, sound.rate_low_gb_s);
    const auto some = paths_with(1.0);
    EXPECT_GT(some.rate_gb_s, 0.0);
    EXPECT_GT(some.rate_low_gb_s, 0.0);
    EXPECT_TRUE(std::isnan(some.rate_high_gb_s)) << some.rate_high_gb_s;
    const auto all = paths_with(4.0);
    EXPECT_TRUE(std::isnan(all.rate_gb_s) && std::isnan(all.rate_low_gb_s));
}

}  // namespace
}  // namespace shardstone::validation
