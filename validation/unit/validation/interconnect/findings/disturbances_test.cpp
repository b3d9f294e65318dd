// SPDX-License-Identifier: BSD-3-Clause
// What others took of the cores, and what then remains of findings and of the verdict.
#include "validation/interconnect/disturbances.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "validation/interconnect/acceptance_file.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

/// Others took this share of a machine's cores during a part.
void disturb(InterconnectSamples& samples, const std::string& part, double machine, double share) {
    auto& row = samples.conditions.emplace_back();
    row.part = part;
    row.machine = machine;
    row.others_share = share;
    row.waiting_share = row.stolen_share = 0.0;
}

/// All four nodes on one machine, as in a virtual cluster.
InterconnectSamples on_one_machine(double share) {
    auto samples = planted_samples();
    disturb(samples, during_pairs, 0.0, share);
    disturb(samples, during_ranks, 0.0, share);
    return samples;
}

/// Each node a machine, of which the first so many are disturbed.
InterconnectSamples on_four_machines(int disturbed) {
    auto samples = planted_samples();
    for (auto& place : samples.places) place.machine = place.rank;
    for (int machine = 0; machine < 4; ++machine) {
        disturb(samples, during_pairs, machine, machine < disturbed ? 0.6 : 0.01);
        disturb(samples, during_ranks, machine, machine < disturbed ? 0.6 : 0.01);
    }
    return samples;
}

/// Messages of a rank take 43 % longer.
InterconnectFindings with_slow_link(InterconnectSamples samples, double sender) {
    slow_down_sender(samples, sender, 1.0 / 0.7);
    return find_in(samples);
}

TEST(Disturbances, OfMostMachinesLeaveNoPass) {
    EXPECT_EQ(find_in(on_one_machine(0.04)).verdict, Acceptance::pass);
    const auto busy = find_in(on_one_machine(0.88));
    EXPECT_EQ(busy.verdict, Acceptance::inconclusive);
    EXPECT_EQ(
        busy.reasons.at(0),
        "the machine was busy: others took 88 % of the cores during passes over pairs, others "
        "took 88 % of the cores during tests of ranks: end the other programs and test "
        "again");
    EXPECT_EQ(find_in(on_four_machines(2)).verdict, Acceptance::pass);
    EXPECT_EQ(find_in(on_four_machines(3)).verdict, Acceptance::inconclusive);
}

TEST(Disturbances, ExplainASlowLinkUpToTheirSize) {
    const auto explained = with_slow_link(on_one_machine(0.4), 2.0);
    EXPECT_EQ(explained.verdict, Acceptance::inconclusive);
    ASSERT_EQ(explained.suspects.size(), 1u);
    EXPECT_EQ(explained.suspects[0].suspected, 0.0);
    EXPECT_EQ(explained.suspects[0].disturbed, 1.0);
    EXPECT_TRUE(holds(explained.reasons.at(0), "undecided: ")) << explained.reasons[0];
    EXPECT_TRUE(holds(explained.reasons[0], " (disturbed: others took 40 % of the cores)"))
        << explained.reasons[0];
    // A fifth of the cores makes messages take at most a quarter longer.
    const auto too_slow = with_slow_link(on_one_machine(0.2), 2.0);
    EXPECT_EQ(too_slow.verdict, Acceptance::fail);
    EXPECT_EQ(too_slow.suspects.at(0).suspected, 1.0);
    EXPECT_EQ(too_slow.suspects[0].disturbed, 1.0);
    EXPECT_TRUE(holds(too_slow.reasons.at(0), "(disturbed: others took 20 %"))
        << too_slow.reasons[0];
    // Who waits for whole time slices may take any time.
    auto hundredfold = on_one_machine(0.5);
    slow_down_sender(hundredfold, 2.0, 100.0);
    EXPECT_EQ(find_in(hundredfold).verdict, Acceptance::inconclusive);
}

TEST(Disturbances, OfOneMachineAreItsOwnFault) {
    const auto own = with_slow_link(on_four_machines(1), 0.0);
    EXPECT_EQ(own.verdict, Acceptance::fail);
    EXPECT_EQ(own.suspects.at(0).disturbed, 1.0);
    const auto of_another = with_slow_link(on_four_machines(1), 2.0);
    EXPECT_EQ(of_another.verdict, Acceptance::fail);
    EXPECT_EQ(of_another.suspects.at(0).disturbed, 0.0);
    EXPECT_EQ(with_slow_link(on_four_machines(3), 1.0).verdict, Acceptance::inconclusive);
    EXPECT_EQ(with_slow_link(on_four_machines(3), 3.0).verdict, Acceptance::fail)
        << "its machine was quiet, and yet it is slower";
}

InterconnectFindings with_slow_rank(double share, const std::string& test) {
    auto samples = on_one_machine(share);
    for (auto& row : samples.ranks) {
        if (row.test == "arithmetic" && test.starts_with("GPU")) row.test = test;
        if (row.rank == 3.0 && row.test == test) row.time_s *= 1.25;
    }
    return find_in(samples);
}

TEST(Disturbances, ExplainASlowRankUpToTheirSize) {
    const auto slow = with_slow_rank(0.1, "arithmetic");
    EXPECT_EQ(slow.verdict, Acceptance::fail);
    EXPECT_TRUE(holds(slow.reasons.at(0), "rank 3 on cn3 is slow: arithmetic")) << slow.reasons[0];
    EXPECT_TRUE(holds(slow.reasons[0], "(disturbed: others took 10 %")) << slow.reasons[0];
    const auto explained = with_slow_rank(0.3, "arithmetic");
    EXPECT_EQ(explained.verdict, Acceptance::inconclusive);
    for (const auto& row : explained.rank_tests) {
        EXPECT_EQ(row.suspected, 0.0);
        EXPECT_EQ(row.disturbed, 1.0);
    }
    EXPECT_EQ(with_slow_rank(0.3, "GPU transfer").verdict, Acceptance::inconclusive);
    for (const char* test : {"GPU product", "GPU memory"}) {
        EXPECT_EQ(with_slow_rank(0.3, test).verdict, Acceptance::fail) << "no core helps there";
    }
    EXPECT_EQ(with_slow_rank(0.1, "wake-up").verdict, Acceptance::inconclusive);
    EXPECT_EQ(with_slow_rank(0.01, "wake-up").verdict, Acceptance::fail);
}

// Of turns that scatter by some 20 %, a rank that takes a third longer is surely slower by less
// than a quarter, which others on a fifth of the cores explain.
TEST(Disturbances, ExplainASlowRankByWhatIsSureOfIt) {
    const auto scattered = [](double share) {
        auto samples = on_one_machine(share);
        for (auto& row : samples.ranks) {
            row.time_s *= 1.0 + 0.03 * std::fmod(row.turn, 5.0);
            if (row.rank == 3.0 && row.test == "arithmetic") row.time_s *= 1.6;
        }
        return find_in(samples);
    };
    const auto undisturbed = scattered(0.01);
    EXPECT_EQ(undisturbed.verdict, Acceptance::fail);
    const auto slow =
        std::ranges::find(undisturbed.rank_tests, 1.0, &results::RankTestRow::suspected);
    ASSERT_NE(slow, undisturbed.rank_tests.end());
    const double surely_slower = slow->factor * std::exp(-2.0 * slow->noise) - 1.0;
    const double at_most_slower = slow->factor * std::exp(2.0 * slow->noise) - 1.0;
    const auto share_of = [](double slower) { return slower / (1.0 + slower); };
    ASSERT_GT(share_of(at_most_slower) - share_of(surely_slower), 0.02) << "the noise tells";
    EXPECT_EQ(scattered(share_of(surely_slower) + 0.01).verdict, Acceptance::inconclusive);
    EXPECT_EQ(scattered(share_of(surely_slower) - 0.01).verdict, Acceptance::fail);
}

TEST(Disturbances, DoNotMakeDataWrong) {
    auto samples = on_one_machine(0.95);
    samples.wrong.push_back({1, 3, 99, 2, 1000, 1, "0x10", "0x30"});
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail);
}

/// The latency of 8 bytes, which is 20 us.
results::AcceptanceRow limited_latency(double share, double limit_us) {
    auto samples = on_one_machine(share);
    samples.limits = parse_acceptance(
        "[[limit]]\nquantity = 'latency between nodes'\nstatistic = 'median'\nsize = '8'\nlimit "
        "= " +
            std::to_string(limit_us) + "\nunit = 'us'",
        "limits");
    return find_in(samples).acceptance.at(0);
}

TEST(Disturbances, ExplainABrokenLimitUnlessTheQuickestSampleBreaksIt) {
    EXPECT_EQ(limited_latency(0.01, 15.0).verdict, "fail");
    const auto explained = limited_latency(0.4, 15.0);  // 12 us of 20
    EXPECT_EQ(explained.verdict, "inconclusive");
    EXPECT_EQ(explained.disturbed, 1.0);
    EXPECT_EQ(limited_latency(0.4, 11.0).verdict, "fail");
    EXPECT_EQ(limited_latency(0.9, 30.0).verdict, "pass") << "they only add time";
}

// As for parts of the network: from half of the cores on one wait may cost whole time slices, in
// every sample.
TEST(Disturbances, OfHalfOfTheCoresExplainEveryBrokenLimit) {
    EXPECT_EQ(limited_latency(0.49, 1.0).verdict, "fail");
    EXPECT_EQ(limited_latency(0.5, 1.0).verdict, "inconclusive");
    EXPECT_EQ(limited_latency(0.9, 1e-3).verdict, "inconclusive");
}

// 1 ms in five turns; the mean has an interval.
TEST(Disturbances, ExplainEveryBrokenLimitOfAWakeUp) {
    const auto limited = [](InterconnectSamples samples, double limit_us) {
        samples.limits =
            parse_acceptance("[[limit]]\nquantity = 'wake-up delay'\nstatistic = 'mean'\nlimit = " +
                                 std::to_string(limit_us) + "\nunit = 'us'",
                             "limits");
        return find_in(samples).acceptance.at(0).verdict;
    };
    EXPECT_EQ(limited(on_one_machine(0.04), 500.0), "fail");
    EXPECT_EQ(limited(on_one_machine(0.06), 500.0), "inconclusive");
    EXPECT_EQ(limited(on_one_machine(0.06), 1500.0), "pass");
    EXPECT_EQ(limited(on_four_machines(1), 500.0), "fail") << "of one machine, its own fault";
}

TEST(Disturbances, OfMostWindowsOfASoakLeaveNoPass) {
    const auto soaked = [](int disturbed) {
        auto samples = on_one_machine(0.0);
        for (int window = 0; window < 4; ++window) {
            results::SoakWindowRow row;
            row.window = window;
            row.sender = 0.0;
            row.receiver = 1.0;
            row.size_bytes = 1 << 20;
            row.first_pass = window;
            row.passes = 1.0;
            row.begin_unix_s = 1000.0 + window;
            row.end_unix_s = 1001.0 + window;
            row.slow = 0.0;
            samples.windows.push_back(row);
            disturb(samples, part_of_window(window), 0.0, window < disturbed ? 0.7 : 0.0);
        }
        return find_in(samples);
    };
    EXPECT_EQ(soaked(2).verdict, Acceptance::pass);
    const auto busy = soaked(3);
    EXPECT_EQ(busy.verdict, Acceptance::inconclusive);
    EXPECT_TRUE(holds(busy.reasons.at(0), "others took 70 % of the cores during the soak"))
        << busy.reasons[0];
}

/// The verdict on 105 MB/s under a lower limit, others having taken this share of a machine.
std::string limited_rate(double share, double limit_mb_s) {
    auto samples = planted_samples();
    disturb(samples, "passes over pairs", 0.0, share);
    samples.limits = parse_acceptance(
        fmt::format("[[limit]]\nquantity = 'rate between nodes'\nstatistic = 'median'\n"
                    "size = '1M'\nlimit = {}\nunit = 'MB/s'",
                    limit_mb_s),
        "limits");
    return find_in(samples).acceptance.at(0).verdict;
}

TEST(Disturbances, ExcuseARateOnlyByWhatWasTaken) {
    EXPECT_EQ(limited_rate(0.01, 200.0), "fail");
    EXPECT_EQ(limited_rate(0.1, 200.0), "fail") << "0.9 of 200 MB/s is still more than 105";
    EXPECT_EQ(limited_rate(0.1, 111.0), "inconclusive");
}

}  // namespace
}  // namespace shardstone::validation
