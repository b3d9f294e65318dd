// SPDX-License-Identifier: BSD-3-Clause
// What loads of the network do, and clocks of nodes: figures by hand, and limits on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/congestion_figures.hpp"
#include "validation/interconnect/node_clocks.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

constexpr int passes = 15;
constexpr double large_bytes = 4e6;

/// Ranks 0 to 3 on nodes 0 to 3: rank 0 sends to rank 2, and 1 to 3. Alone each message takes 10 ms
/// (0.4 GB/s), and its answer's direction 20 ms. At once those of rank 1 take 16 ms; the victim is
/// slowed by half, and by a fifth if its messages are small.
InterconnectSamples loaded_samples() {
    InterconnectSamples samples = planted_samples();
    const auto add = [&](const char* load, double sender, double receiver, int pass, double bytes,
                         double time_s) {
        samples.congestion.push_back({load, sender, receiver, double(pass), bytes, time_s});
    };
    for (int pass = 0; pass < passes; ++pass) {
        const double drift = 1.0 + 0.1 * pass;  // the machine gets slower: by 1.7 in the middle
        for (const double first : {0.0, 1.0}) {
            const double at_once = first == 1.0 ? 1.6 : 1.0;
            add("alone", first, first + 2.0, pass, large_bytes, 10e-3 * drift);
            add("alone", first + 2.0, first, pass, large_bytes, 20e-3 * drift);
            add("pairs at once", first, first + 2.0, pass, large_bytes, 10e-3 * drift * at_once);
            add("pairs at once", first + 2.0, first, pass, large_bytes, 20e-3 * drift);
        }
        for (const double bytes : {8.0, large_bytes}) {
            const double alone_s = bytes == 8.0 ? 50e-6 : 10e-3;
            add("victim alone", 0.0, 2.0, pass, bytes, alone_s * drift);
            add("victim beside an all-to-all", 0.0, 2.0, pass, bytes,
                alone_s * drift * (bytes == 8.0 ? 1.2 : 1.5));
        }
    }
    return samples;
}

const results::CongestionRow& row_of(const InterconnectFindings& findings, const std::string& load,
                                     double sender, double size_bytes) {
    const auto row = std::ranges::find_if(findings.congestion, [&](const auto& one) {
        return one.load == load && one.sender == sender && one.size_bytes == size_bytes;
    });
    if (row == findings.congestion.end()) throw std::runtime_error("no such row");
    return *row;
}

TEST(Congestion, IsHeldAgainstTheSamePairAlone) {
    const auto findings = find_in(loaded_samples());
    ASSERT_EQ(findings.congestion.size(), 6u);
    const auto& slow = row_of(findings, "pairs at once", 1.0, large_bytes);
    EXPECT_EQ(slow.receiver, 3.0);
    EXPECT_EQ(slow.samples, 15.0);
    EXPECT_NEAR(slow.alone_s, 17e-3, 1e-9) << "the eighth of fifteen passes";
    EXPECT_NEAR(slow.time_s, 27.2e-3, 1e-9);
    EXPECT_NEAR(slow.slowdown, 1.6, 1e-9);
    EXPECT_NEAR(slow.slowdown_low, 1.6, 1e-9) << "each over its own pass, whatever drifts";
    EXPECT_NEAR(slow.slowdown_high, 1.6, 1e-9);
    EXPECT_NEAR(slow.longest_alone_s, 24e-3, 1e-9) << "of the last pass";
    EXPECT_NEAR(slow.longest_s, 38.4e-3, 1e-9);
    EXPECT_NEAR(row_of(findings, "pairs at once", 3.0, large_bytes).slowdown, 1.0, 1e-9);
    EXPECT_NEAR(row_of(findings, "victim beside an all-to-all", 0.0, 8.0).slowdown, 1.2, 1e-9);
    EXPECT_NEAR(row_of(findings, "victim beside an all-to-all", 0.0, large_bytes).slowdown, 1.5,
                1e-9);
    EXPECT_EQ(findings.verdict, Acceptance::pass) << "no limit was given";
}

TEST(Congestion, HalvesOfTheNodesAddUpInEachDirection) {
    const auto findings = find_in(loaded_samples());
    ASSERT_EQ(findings.bisection.size(), 2u);
    const auto& there = findings.bisection[0];
    EXPECT_EQ(there.direction, "first to second half");
    EXPECT_EQ(there.pairs, 2.0);
    EXPECT_EQ(there.passes, 15.0);
    EXPECT_EQ(there.size_bytes, large_bytes);
    // 4 MB in 17 ms and in 27.2 ms.
    EXPECT_NEAR(there.rate_gb_s, 0.004 / 17e-3 + 0.004 / 27.2e-3, 1e-9);
    EXPECT_NEAR(there.alone_gb_s, 2 * 0.004 / 17e-3, 1e-9);
    EXPECT_LT(there.rate_low_gb_s, there.rate_gb_s);
    EXPECT_GT(there.rate_high_gb_s, there.rate_gb_s);
    EXPECT_EQ(findings.bisection[1].direction, "second to first half");
    EXPECT_NEAR(findings.bisection[1].rate_gb_s, 2 * 0.004 / 34e-3, 1e-9);
}

// Ranks may be dealt to nodes in any order: halves are of nodes.
TEST(Congestion, HalvesAreOfNodesAndNotOfRanks) {
    auto samples = loaded_samples();
    for (auto& place : samples.places) place.node = 3.0 - place.node;
    const auto findings = find_in(samples);
    ASSERT_EQ(findings.bisection.size(), 2u);
    EXPECT_NEAR(findings.bisection[0].alone_gb_s, 2 * 0.004 / 34e-3, 1e-9) << "rank 2 and 3 send";
}

/// The limit's row of the findings.
results::AcceptanceRow limited(InterconnectSamples samples, const std::string& limit) {
    samples.limits = parse_acceptance("[[limit]]\nstatistic = 'median'\n" + limit, "limits");
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.acceptance.size(), 1u);
    return findings.acceptance.at(0);
}

TEST(Congestion, IsLimitedByTheWorstPairOrDirection) {
    const auto at_once = limited(
        loaded_samples(), "quantity = 'slowdown of pairs at once'\nlimit = 1.3\nunit = 'times'");
    EXPECT_EQ(at_once.verdict, "fail");
    EXPECT_EQ(at_once.subject, "rank 1 on cn1 to rank 3 on cn3");
    EXPECT_NEAR(at_once.value, 1.6, 1e-9);
    EXPECT_NEAR(at_once.low, 1.6, 1e-9) << "each over its own pass, whatever drifts";
    EXPECT_EQ(at_once.subjects, 4.0) << "two pairs, both ways";
    EXPECT_EQ(at_once.subjects_failed, 1.0);
    EXPECT_EQ(at_once.subjects_passed, 3.0);
    const std::string victim =
        "quantity = 'slowdown of a victim'\nlimit = 1.3\nunit = 'times'\nsize = ";
    EXPECT_EQ(limited(loaded_samples(), victim + "'8'").verdict, "pass");
    EXPECT_EQ(limited(loaded_samples(), victim + "'4000000'").verdict, "fail");
    const auto rate =
        limited(loaded_samples(), "quantity = 'bisection rate'\nlimit = 200\nunit = 'MB/s'");
    EXPECT_EQ(rate.subject, "second to first half");
    EXPECT_NEAR(rate.value, 235.3, 0.1);
}

TEST(Congestion, WithoutAnyTheLimitIsUndecided) {
    const auto row =
        limited(planted_samples(), "quantity = 'bisection rate'\nlimit = 250\nunit = 'MB/s'");
    EXPECT_EQ(row.verdict, "inconclusive");
    EXPECT_EQ(row.subject, "nothing measured");
}

/// Rank 1's clock is 2 ms ahead and gains 5 ms in 100 s, by readings that may be wrong by 10 to 30
/// us; rank 3's is 1 s behind.
InterconnectSamples clocks_read() {
    InterconnectSamples samples = planted_samples();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 8; ++i) {
            const double at_s = 1.7e9 + 100.0 * round + 1e-3 * i;
            const double error_s = i == 5 ? 10e-6 : 30e-6;
            samples.clocks.push_back(
                {1.0, double(round), at_s, 2e-3 + 5e-3 * round + (i == 5 ? 0.0 : 25e-6), error_s});
            samples.clocks.push_back({3.0, double(round), at_s, -1.0, error_s});
        }
    }
    return samples;
}

TEST(Clocks, AreReadByTheSurestReadings) {
    const auto findings = find_in(clocks_read());
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    ASSERT_EQ(findings.clocks.size(), 2u);
    const auto& ahead = findings.clocks[0];
    EXPECT_EQ(ahead.rank, 1.0);
    EXPECT_EQ(ahead.host, "cn1");
    EXPECT_EQ(ahead.readings, 16.0);
    EXPECT_NEAR(ahead.ahead_s, 7e-3, 1e-12) << "of the last round";
    EXPECT_NEAR(ahead.error_s, 10e-6, 1e-12);
    EXPECT_NEAR(ahead.drift, 50e-6, 1e-12);
    EXPECT_NEAR(ahead.drift_error, 0.2e-6, 1e-12);
    EXPECT_NEAR(ahead.offset_s, 7.01e-3, 1e-12) << "and the error of the surest reading";
    EXPECT_EQ(in_words(ahead), "rank 1 on cn1: 7.00 ms ahead +- 10.0 us, gains 50 +- 0.2 ppm");
    EXPECT_EQ(in_words(findings.clocks[1]),
              "rank 3 on cn3: 1.00 s behind +- 10.0 us, gains 0 +- 0.2 ppm");
    EXPECT_EQ(clocks_in_words(findings.clocks),
              "furthest off: rank 3 on cn3: 1.00 s behind +- 10.0 us, gains 0 +- 0.2 ppm\n"
              "  drifts most: rank 1 on cn1: 7.00 ms ahead +- 10.0 us, gains 50 +- 0.2 ppm");
}

// "At most" is of both rounds: of an offset that has shrunk, the first.
TEST(Clocks, AreOffByNoMoreThanTheirBoundAtEitherRound) {
    auto samples = clocks_read();
    for (auto& row : samples.clocks) {
        if (row.rank == 1.0) row.round = 1.0 - row.round;
    }
    std::ranges::stable_sort(samples.clocks, {}, &results::ClockSampleRow::round);
    const auto findings = find_in(samples);
    const auto& ahead = findings.clocks.at(0);
    EXPECT_NEAR(ahead.ahead_s, 2e-3, 1e-12);
    EXPECT_NEAR(ahead.offset_s, 7.01e-3, 1e-12);
    EXPECT_TRUE(in_words(ahead).starts_with(
        "rank 1 on cn1: 2.00 ms ahead +- 10.0 us (before the other tests at most 7.01 ms off)"))
        << in_words(ahead);
}

/// A busy machine: but for one exchange of each round, others ran between question and answer, the
/// longest of them on rank 3, so that the middle of the exchange says nothing.
InterconnectSamples clocks_read_on_a_busy_machine() {
    InterconnectSamples samples = planted_samples();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 8; ++i) {
            const double at_s = 1.7e9 + 100.0 * round + 1e-1 * i;
            for (const double rank : {1.0, 3.0}) {
                const double error_s = i == 5 ? 20e-6 : rank * 20e-3;
                const double ahead_s = i == 5 ? rank * 5e-6 : 0.9 * error_s;
                samples.clocks.push_back({rank, double(round), at_s, ahead_s, error_s});
            }
        }
    }
    return samples;
}

TEST(Clocks, NoisyReadingsNameNobodyAndBreakNoLimit) {
    const auto findings = find_in(clocks_read_on_a_busy_machine());
    EXPECT_EQ(clocks_in_words(findings.clocks),
              "none is seen to be off: at most 35.0 us (rank 3 on cn3)");
    const std::string unit = "\nunit = 'us'";
    EXPECT_EQ(
        limited(clocks_read_on_a_busy_machine(), "quantity = 'clock offset'\nlimit = 40" + unit)
            .verdict,
        "pass");
    // Too narrow a limit is undecided, and no further reading of that sort would decide.
    const auto narrow =
        limited(clocks_read_on_a_busy_machine(), "quantity = 'clock offset'\nlimit = 30" + unit);
    EXPECT_EQ(narrow.verdict, "inconclusive");
    EXPECT_EQ(narrow.further, 0.0);
    EXPECT_EQ(narrow.low, 0.0);
    EXPECT_NEAR(narrow.high, 35.0, 1e-9);
    EXPECT_EQ(limited(clocks_read_on_a_busy_machine(),
                      "quantity = 'clock drift'\nlimit = 1\nunit = 'ppm'")
                  .verdict,
              "pass")
        << "40 us of error in 100 s";
}

TEST(Clocks, OfOneRoundHaveNoDrift) {
    auto samples = clocks_read();
    std::erase_if(samples.clocks, [](const auto& row) { return row.round > 0.0; });
    const auto findings = find_in(samples);
    EXPECT_NEAR(findings.clocks.at(0).ahead_s, 2e-3, 1e-12);
    EXPECT_TRUE(std::isnan(findings.clocks[0].drift));
    EXPECT_EQ(in_words(findings.clocks[0]), "rank 1 on cn1: 2.00 ms ahead +- 10.0 us");
}

TEST(Clocks, AreLimitedInBothDirections) {
    const auto offset =
        limited(clocks_read(), "quantity = 'clock offset'\nlimit = 10\nunit = 'ms'");
    EXPECT_EQ(offset.verdict, "fail");
    EXPECT_EQ(offset.subject, "rank 3 on cn3");
    EXPECT_EQ(offset.statistic, "surest reading");
    EXPECT_NEAR(offset.value, 1000.0, 1e-9);
    EXPECT_NEAR(offset.low, 999.99, 1e-9) << "what the surest reading may be wrong by counts";
    EXPECT_NEAR(offset.high, 1000.01, 1e-9);
    EXPECT_NEAR(offset.high, 1e3 * find_in(clocks_read()).clocks.at(1).offset_s, 1e-9)
        << "the table says the same";
    EXPECT_EQ(offset.samples, 16.0);
    const auto drift = limited(clocks_read(), "quantity = 'clock drift'\nlimit = 20\nunit = 'ppm'");
    EXPECT_EQ(drift.verdict, "fail");
    EXPECT_EQ(drift.subject, "rank 1 on cn1");
    EXPECT_NEAR(drift.value, 50.0, 1e-6);
    EXPECT_NEAR(drift.low, 49.8, 1e-6);
    EXPECT_NEAR(drift.high, 50.2, 1e-6);
}

/// Halves of three nodes are one pair, whose rate is none of the network's.
TEST(CongestionFigures, OfFewerThanFourNodesThereIsNoBisection) {
    auto samples = loaded_samples();
    EXPECT_FALSE(find_in(samples).bisection.empty());
    std::erase_if(samples.congestion,
                  [](const auto& row) { return row.sender == 3.0 || row.receiver == 3.0; });
    for (auto& place : samples.places) place.node = std::min(place.node, 2.0);
    EXPECT_FALSE(find_in(samples).congestion.empty());
    EXPECT_TRUE(find_in(samples).bisection.empty());
    const auto row = limited(samples, "quantity = 'bisection rate'\nlimit = 1\nunit = 'MB/s'");
    EXPECT_EQ(row.verdict, "inconclusive") << "any pair sends so much";
    EXPECT_EQ(row.subject, "nothing measured");
}

TEST(CongestionFigures, OfFiveNodesTheLastRestsInTheBisection) {
    auto samples = planted_samples();
    samples.places.push_back({4.0, 4.0, "cn4", -1});
    for (int pass = 0; pass < 7; ++pass) {
        for (const char* load : {"alone", "pairs at once"}) {
            for (const double first : {0.0, 1.0}) {
                samples.congestion.push_back({load, first, first + 2.0, double(pass), 4e6, 10e-3});
                samples.congestion.push_back({load, first + 2.0, first, double(pass), 4e6, 20e-3});
            }
        }
    }
    const auto found = find_in(samples);
    ASSERT_EQ(found.bisection.size(), 2u);
    EXPECT_EQ(found.bisection[0].pairs, 2.0);
    EXPECT_NEAR(found.bisection[0].rate_gb_s, 0.8, 1e-9);
    EXPECT_NEAR(found.bisection[1].rate_gb_s, 0.4, 1e-9);
}

}  // namespace
}  // namespace shardstone::validation
