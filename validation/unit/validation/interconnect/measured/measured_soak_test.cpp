// SPDX-License-Identifier: BSD-3-Clause
// How long a soak goes on, and which of its messages are kept as slow.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "validation/interconnect/soak_sums.hpp"
#include "validation/unit/declared_nodes.hpp"
#include "validation/unit/validation/interconnect/measured/watched_measurement.hpp"
#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

namespace shardstone::validation {
namespace {

/// Numbers of the first passes of windows that a soak of `soak_s` adds to one of 200 s and as many
/// passes; it ends after its first pass.
std::vector<double> added_by(double soak_s) {
    const DeclaredNodes nodes(1);
    auto options = quickest_options();
    options.soak_s = soak_s;
    InterconnectSamples before;
    if (world().is_root()) before = planted_soak();
    const std::size_t windows = before.windows.size();
    const auto measured = measure_interconnect(
        world(), options, observer_of([](const std::string&) {}, [] { return true; }), before);
    std::vector<double> first_passes;
    for (std::size_t i = windows; i < measured.samples.windows.size(); ++i) {
        first_passes.push_back(measured.samples.windows[i].first_pass);
    }
    return first_passes;
}

TEST(MeasuredSoak, GoesOnForTheRestOfItsTime) {
    EXPECT_TRUE(added_by(200.0).empty()) << "there is no rest";
    const auto first_passes = added_by(2000.0);
    if (!world().is_root()) return;
    EXPECT_EQ(first_passes, std::vector(4 * 3, 200.0)) << "of each pair and direction";
}

TEST(MeasuredSoak, MessagesOfSixFifthsOfTheUsualTimeAreSlow) {
    const benchmarks::LinkPasses passes(world(), collectives::DataMemory::host, {{{0, 1}}}, {8});
    const auto samples = planted_soak();
    const double usual_s = UsualTimes(samples.pairs).time_s(0, 2, 1 << 20);
    SoakSums sums(samples, 1.0);
    benchmarks::LinkPass pass;
    for (const double factor : {0.5, 1.0, 1.19, 1.21, 3.0}) {
        pass.samples.push_back({0, 2, 0, 1 << 20, 0, 0.0, factor * usual_s});
    }
    const auto kept = sums.add(pass, passes, 2000.0, 2002.0);
    ASSERT_EQ(kept.slow.size(), 2u);
    EXPECT_EQ(kept.slow[0].time_s, pass.samples[3].time_s);
    EXPECT_EQ(kept.slow[1].time_s, pass.samples[4].time_s);
    ASSERT_EQ(kept.windows.size(), 1u);
    EXPECT_EQ(kept.windows[0].slow, 2.0);
}

}  // namespace
}  // namespace shardstone::validation
