// SPDX-License-Identifier: BSD-3-Clause
// Which subject is slow in a pass, and soaks of healthy clusters with the noise of real machines.
#include "validation/interconnect/soak_subjects.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using Tests = std::vector<std::pair<int, int>>;

std::vector<results::RankPlaceRow> one_rank_each(int nodes) {
    std::vector<results::RankPlaceRow> places;
    for (int rank = 0; rank < nodes; ++rank) {
        const auto number = static_cast<double>(rank);
        places.push_back({number, number, fmt::format("cn{}", rank), -1.0, 1.0});
    }
    return places;
}

/// All directions of all pairs of four nodes, in the order of a pass: pairs of a line at once.
const Tests tests_of_four{{0, 3}, {3, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0},
                          {3, 1}, {1, 3}, {0, 1}, {1, 0}, {2, 3}, {3, 2}};

/// Names of the subjects that are slow in pass 0, in their order.
std::vector<std::string> slow_ones(const std::vector<results::RankPlaceRow>& places,
                                   const Tests& tests, const std::vector<SlowTest>& slow) {
    std::vector<std::string> names;
    for (const auto& kind : soak_subjects(places, tests, slow)) {
        for (std::size_t i = 0; i < kind.subjects.size(); ++i) {
            if (!kind.slow[i].empty()) names.push_back(name_of(kind.subjects[i], places));
        }
    }
    return names;
}

TEST(SoakSubjects, MostOfItsMessagesAndFewOthersMakeASubjectSlow) {
    const auto places = one_rank_each(4);
    using Names = std::vector<std::string>;
    EXPECT_EQ(slow_ones(places, tests_of_four, {{0, 1, 0}}),
              (Names{"rank 1 on cn1 to rank 0 on cn0"}));
    EXPECT_EQ(slow_ones(places, tests_of_four, {{0, 1, 0}, {0, 1, 3}}),
              (Names{"cn1 (node 1 of the run), outgoing", "rank 1 on cn1 to rank 3 on cn3",
                     "rank 1 on cn1 to rank 0 on cn0"}));
    EXPECT_EQ(slow_ones(places, tests_of_four, {{0, 0, 1}, {0, 2, 1}, {0, 1, 2}, {0, 1, 3}})[0],
              "cn1 (node 1 of the run)");
    std::vector<SlowTest> all;
    for (const auto& [sender, receiver] : tests_of_four) all.push_back({0, sender, receiver});
    EXPECT_EQ(slow_ones(places, tests_of_four, all), (Names{"most of the cluster"}));
}

TEST(SoakSubjects, OfTwoNodesThereArePairsOnly) {
    const auto kinds = soak_subjects(one_rank_each(2), Tests{{0, 1}, {1, 0}}, {});
    std::size_t subjects = 0;
    for (const auto& kind : kinds) subjects += kind.subjects.size();
    EXPECT_EQ(subjects, 3u) << "with the whole cluster";
}

TEST(SoakSubjects, WhatIsInsideANodeIsNotItsNetwork) {
    auto places = one_rank_each(4);
    places[1].node = 0.0;
    places[3].node = places[2].node = 1.0;
    EXPECT_EQ(slow_ones(places, Tests{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {0, 2}, {2, 0}}, {{0, 0, 1}}),
              std::vector<std::string>{"rank 0 on cn0 to rank 1 on cn1"});
}

/// A healthy soak of four nodes. A test is slow with a probability of 3 %; and now and then the
/// machine is disturbed for as long as some tests, most of which, whichever they are, are slow. A
/// test takes a unit of time, and passes run forwards and backwards, so that one disturbance may
/// hit the same pair at the end of a pass and at the beginning of the next.
std::vector<SlowTest> healthy_soak(std::uint64_t trial, std::int64_t passes) {
    const RandomStream random(trial, "healthy soak");
    std::uint64_t draw = 0;
    std::vector<SlowTest> slow;
    double disturbed_for = 0.0;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < tests_of_four.size(); ++i) {
            const std::size_t which = pass % 2 == 0 ? i : tests_of_four.size() - 1 - i;
            const bool begins = random.uniform(draw++) < 0.01;
            const double length = -12.0 * std::log(1.0 - random.uniform(draw++));
            disturbed_for = begins ? length : disturbed_for - 1.0;
            const double probability = disturbed_for > 0.0 ? 0.7 : 0.03;
            if (random.uniform(draw++) >= probability) continue;
            slow.push_back({pass, tests_of_four[which].first, tests_of_four[which].second});
        }
    }
    return slow;
}

TEST(SoakSubjects, DisturbancesOfWhoeverIsTestedMakeNoSpells) {
    constexpr std::int64_t passes = 300;
    constexpr int trials = 300;
    int alarms = 0;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
        bool alarm = false;
        for (const auto& kind :
             soak_subjects(one_rank_each(4), tests_of_four, healthy_soak(trial, passes))) {
            if (kind.subjects.size() == 1) continue;  // the cluster, which is not blamed
            alarm = alarm || !find_spells(kind.slow, passes, 25).empty();
        }
        alarms += alarm ? 1 : 0;
    }
    // With 1 % each, more than 9 of 300 have a probability of 1e-3.
    EXPECT_LE(alarms, 9);
}

}  // namespace
}  // namespace shardstone::validation
