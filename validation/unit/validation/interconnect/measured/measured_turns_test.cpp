// SPDX-License-Identifier: BSD-3-Clause
// More turns of ranks are taken where one of them may be slow, and only there.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "benchmarks/interconnect/rank_tests.hpp"
#include "validation/interconnect/more_turns.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"
#include "validation/unit/validation/interconnect/measured/watched_measurement.hpp"

namespace shardstone::validation {
namespace {

/// Turns of a test that these ranks do not make, in which rank 2 may be slow or is as the others.
InterconnectSamples with_turns_of_another_test(double factor) {
    InterconnectSamples samples;
    for (auto row : planted_samples().ranks) {
        if (row.test != "arithmetic") continue;
        row.test = "planted";
        if (row.rank == 2.0) row.time_s *= factor;
        samples.ranks.push_back(row);
    }
    return samples;
}

/// Ends with the first turn after those that the budget has room for.
InterconnectMeasurement turns_after(InterconnectSamples before) {
    auto options = quickest_options();
    options.parts.ranks = true;
    int turns = 0;
    const auto observer = observer_of([&](const std::string&) { ++turns; },
                                      [&] { return turns > benchmarks::least_turns; });
    if (!world().is_root()) before = {};
    return measure_interconnect(world(), options, observer, std::move(before));
}

/// The last turn that ranks took; their first is number 0.
double last_turn(const InterconnectSamples& samples) {
    double last = -1.0;
    for (const auto& row : samples.ranks) {
        if (row.test != "planted") last = std::max(last, row.turn);
    }
    return last;
}

TEST(MeasuredTurns, MoreTurnsAreTakenWhereARankMayBeSlow) {
    const auto in_doubt = with_turns_of_another_test(1.08);
    ASSERT_TRUE(more_turns_are_needed(in_doubt));
    const auto measured = turns_after(in_doubt);
    EXPECT_TRUE(measured.stopped);
    if (!world().is_root()) return;
    EXPECT_EQ(last_turn(measured.samples), benchmarks::least_turns);
}

// What is real here may be in doubt as well.
TEST(MeasuredTurns, NoMoreTurnsAreTakenThanAreNeeded) {
    auto samples = turns_after(with_turns_of_another_test(1.0)).samples;
    if (!world().is_root()) return;
    const bool took_more = last_turn(samples) >= benchmarks::least_turns;
    std::erase_if(samples.ranks,
                  [](const auto& row) { return row.turn >= benchmarks::least_turns; });
    EXPECT_EQ(took_more, more_turns_are_needed(samples));
}

// Ranks of one machine have one clock.
TEST(MeasuredTurns, CountTheirTimesFromTheMomentFromWhichPassesDo) {
    auto options = quickest_options();
    options.parts.pairs = options.parts.ranks = true;
    const auto measured =
        measure_interconnect(world(), options, observer_of([](const std::string&) {}), {});
    if (!world().is_root()) return;
    double last_pass_s = 0.0;
    for (const auto& row : measured.samples.pairs) last_pass_s = std::max(last_pass_s, row.at_s);
    ASSERT_FALSE(measured.samples.ranks.empty());
    for (const auto& row : measured.samples.ranks) {
        EXPECT_GT(row.at_s, last_pass_s) << "rank " << row.rank << ", turn " << row.turn;
        EXPECT_LT(row.at_s, measured.tests_s);
    }
}

}  // namespace
}  // namespace shardstone::validation
