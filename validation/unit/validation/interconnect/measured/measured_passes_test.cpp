// SPDX-License-Identifier: BSD-3-Clause
// Which passes, rounds and turns are made, and which of them leave samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/clock.hpp"
#include "validation/interconnect/pair_tests.hpp"
#include "validation/unit/declared_nodes.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"
#include "validation/unit/validation/interconnect/measured/watched_measurement.hpp"

namespace shardstone::validation {
namespace {

/// How many passes began, the first of which opens connections, and the samples of all.
struct Passes {
    int begun = 0;
    InterconnectMeasurement measured = {};
};

/// So many, of which `beginning` is said at the beginning, and only there.
Passes begin_passes(int count, const InterconnectOptions& options, const std::string& beginning) {
    Passes passes;
    const auto observer = observer_of(
        [&](const std::string& what) {
            passes.begun += what.find(beginning) != std::string::npos ? 1 : 0;
        },
        [&] { return passes.begun >= count; });
    passes.measured = measure_interconnect(world(), options, observer, {});
    return passes;
}

template <class Row>
std::set<double> passes_in(const std::vector<Row>& rows) {
    std::set<double> passes;
    for (const Row& row : rows) passes.insert(row.pass);
    return passes;
}

TEST(MeasuredPasses, ThePassThatOpensConnectionsLeavesNoTimes) {
    const DeclaredNodes nodes(1);
    auto options = quickest_options();
    options.parts.congestion = true;
    const Passes loads = begin_passes(3, options, "a victim alone");
    EXPECT_EQ(loads.begun, 3);
    options.parts.congestion = false;
    options.parts.pairs = true;
    const Passes pairs = begin_passes(3, options, "round 1 of 3");
    EXPECT_EQ(pairs.begun, 3);
    if (!world().is_root()) return;
    EXPECT_EQ(passes_in(loads.measured.samples.congestion).size(), 2u);
    EXPECT_EQ(loads.measured.samples.congestion.size(), loads.measured.expected);
    EXPECT_EQ(passes_in(pairs.measured.samples.pairs).size(), 2u);
    EXPECT_EQ(pairs.measured.samples.pairs.size(), pairs.measured.expected);
}

/// The most pairs of a round.
std::size_t most_pairs_at_once(bool alone) {
    auto options = quickest_options();
    options.parts.pairs = true;
    options.alone = alone;
    const auto measured = begin_passes(2, options, "round 1 of").measured;
    std::map<std::pair<double, double>, std::set<std::pair<double, double>>> rounds;
    for (const auto& row : measured.samples.pairs) {
        rounds[{row.pass, row.round}].insert(std::minmax(row.sender, row.receiver));
    }
    std::size_t most = 0;
    for (const auto& [place, pairs] : rounds) most = std::max(most, pairs.size());
    return most;
}

TEST(MeasuredPasses, AloneMeansOnePairAtATime) {
    const DeclaredNodes nodes(1);
    const std::size_t at_once = most_pairs_at_once(false), alone = most_pairs_at_once(true);
    if (!world().is_root()) return;
    EXPECT_EQ(at_once, 2u) << "of four nodes";
    EXPECT_EQ(alone, 1u);
}

/// Times of a cluster in which one pair may be slow: so many passes that the few over these ranks,
/// however fast they are, change no median by much.
InterconnectSamples with_a_pair_in_doubt(double size_bytes) {
    InterconnectSamples samples = planted_samples();
    std::erase_if(samples.pairs, [](const auto& row) { return row.size_bytes == 8.0; });
    for (auto& row : samples.pairs) {
        row.size_bytes = size_bytes;
        if (row.sender == 0.0 && row.receiver == 2.0) row.time_s *= 1.03;
    }
    const auto once = samples.pairs;
    for (int i = 1; i < 100; ++i)
        samples.pairs.insert(samples.pairs.end(), once.begin(), once.end());
    return samples;
}

TEST(MeasuredPasses, APairInDoubtIsTestedAloneAsWell) {
    const DeclaredNodes nodes(1);
    auto options = quickest_options();
    options.parts.pairs = true;
    InterconnectMeasurement measured;
    if (world().is_root()) measured.samples = with_a_pair_in_doubt(8192.0);
    const auto tested_alone = [&] {
        return std::ranges::any_of(measured.samples.pairs,
                                   [](const auto& row) { return row.alone > 0.0; });
    };
    const auto observer = observer_of([](const std::string&) {}, tested_alone);
    PairTests(world(), options, observer, false, now_s(), measured).run(now_s() + 1000.0);
    EXPECT_TRUE(measured.stopped) << "it ends with the first of them";
    if (!world().is_root()) return;
    std::set<std::pair<double, double>> alone;
    for (const auto& row : measured.samples.pairs) {
        if (row.alone > 0.0) alone.emplace(row.sender, row.receiver);
    }
    EXPECT_TRUE(alone.contains({0.0, 2.0}));
}

}  // namespace
}  // namespace shardstone::validation
