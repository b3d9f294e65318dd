// SPDX-License-Identifier: BSD-3-Clause
// What a sweep really runs: an algorithm that writes down how it is called shows whether an option
// acts, and one that goes wrong in a certain run which runs are looked at.
#include "validation/unit/benchmarks/collectives/sweep/sweep_spy.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace shardstone::validation {
namespace {

/// Runs of one try, given those after the last one.
std::int64_t runs_of(std::int64_t iterations, std::int64_t warmup, std::int64_t checks,
                     std::int64_t after) {
    SweepOptions options = brief("all_reduce");
    options.iterations = iterations;
    options.warmup = warmup;
    options.checks = checks;
    const std::int64_t tries = run(options).points.front().watched.tries;
    const std::int64_t in_tries = std::ssize(seen.calls) - after;
    EXPECT_EQ(in_tries % tries, 0) << checks << " checks";
    return in_tries / tries;
}

TEST(SweepSpy, RunsWarmUpsIterationsAndFurtherChecks) {
    EXPECT_EQ(runs_of(7, 2, 1, 0), 9);
    EXPECT_EQ(runs_of(11, 2, 1, 0), 13);
    EXPECT_EQ(runs_of(7, 5, 1, 0), 12);
    EXPECT_EQ(runs_of(7, 0, 1, 0), 7);
    EXPECT_EQ(runs_of(7, 2, 5, 4), 9);
    EXPECT_EQ(runs_of(7, 2, 0, 0), 9);
}

TEST(SweepSpy, ChecksLookAtTheLastTimedRunAndThoseAfterIt) {
    SweepOptions options = brief("all_reduce");
    // The last run of a try, and the first and the second after the last try.
    for (const auto& [number, checks, right] : {std::tuple{1, 1, true},
                                                {1, 2, false},
                                                {2, 2, true},
                                                {2, 3, false},
                                                {9, 1, false},
                                                {9, 0, true}}) {
        spoilt = number;
        options.checks = checks;
        const Sweep sweep = run(options);
        spoilt = 0;
        EXPECT_EQ(sweep.passed(), right) << "run " << number << " spoilt, " << checks << " checks";
        const double wrong = right ? 0.0 : 1.0 * world().size();
        EXPECT_EQ(static_cast<double>(sweep.points.front().wrong_elements), wrong);
    }
}

/// What the run before left behind is gone, in place and not.
TEST(SweepSpy, AnAlgorithmThatDoesNothingIsWrong) {
    SweepOptions options = brief("all_reduce");
    options.in_place = "both";
    idle = 9;
    const Sweep sweep = run(options);
    idle = 0;
    ASSERT_EQ(sweep.points.size(), 2U);
    EXPECT_FALSE(sweep.points[0].in_place);
    EXPECT_EQ(sweep.points[0].wrong_elements, 5 * world().size());
    if (world().size() > 1) {
        EXPECT_FALSE(sweep.points[1].passed());
    }
}

TEST(SweepSpy, AnInputThatIsWrittenToOutOfPlaceIsWrong) {
    SweepOptions options = brief("all_reduce");
    options.in_place = "no";
    spoils_input = true;
    const Sweep sweep = run(options);
    spoils_input = false;
    EXPECT_GE(sweep.points.front().wrong_elements, world().size());
}

TEST(SweepSpy, FurtherChecksHaveOtherValuesAndWithoutChecksThereAreNone) {
    SweepOptions options = brief("all_reduce");
    options.checks = 12;
    const int tries = run(options).points.front().watched.tries;
    ASSERT_EQ(std::ssize(seen.calls), runs_of_a_try * tries + 11);
    std::set<float> timed, further;
    for (std::int64_t i = 0; i < std::ssize(seen.calls); ++i) {
        (i < runs_of_a_try * tries ? timed : further)
            .insert(seen.calls[static_cast<std::size_t>(i)].first);
    }
    EXPECT_EQ(timed.size(), 1U) << "what is timed has the same values every time";
    EXPECT_GE(further.size(), 3U) << "of the numbers 1 to 7, by chance nearly all";
    options.checks = 0;
    run(options);
    EXPECT_EQ(seen.calls.back().first, 0.0F) << "zeros where nobody looks";
}

TEST(SweepSpy, RootTypeAndReductionReachTheAlgorithm) {
    SweepOptions options = brief("reduce");
    options.smallest = options.largest = "40";
    options.root = world().size() - 1;
    options.type = "fp64";
    options.reduction = "max";
    EXPECT_TRUE(run(options).passed());
    ASSERT_EQ(seen.specs.size(), 1U);
    EXPECT_EQ(seen.specs[0].root, world().size() - 1);
    EXPECT_EQ(seen.specs[0].vector.type, ElementType::fp64);
    EXPECT_EQ(seen.specs[0].vector.reduction, collectives::Reduction::max);
    EXPECT_EQ(seen.specs[0].vector.count, 5);
}

TEST(SweepSpy, RampSharesDifferInBothDirections) {
    const int size = world().size();
    SweepOptions options = brief("all_gather");
    options.shares = "ramp";
    EXPECT_TRUE(run(options).passed());
    std::vector<std::int64_t> ramp;
    for (int rank = 0; rank < size; ++rank) ramp.push_back(rank + 1);
    // 5 elements, to the nearest of 1 + 2 + ... + P parts: as many as 5 of 1, or 2 of 3, or 1 of 6.
    const std::int64_t parts = size == 1 ? 5 : size == 2 ? 2 : 1;
    for (std::int64_t& share : ramp) share *= parts;
    EXPECT_EQ(seen.specs.at(0).shares, ramp);

    options = brief("all_to_all");
    options.shares = "ramp";
    EXPECT_TRUE(run(options).passed());
    const auto& shares = seen.specs.at(0).shares;
    ASSERT_EQ(std::ssize(shares), size * size);
    const auto share = [&](int from, int to) {
        return shares[static_cast<std::size_t>(from * size + to)];
    };
    for (int from = 0; from < size; ++from) {
        std::int64_t sent = 0;
        for (int to = 0; to < size; ++to) {
            sent += share(from, to);
            // Exactly half way round the two are alike.
            const bool alike = (2 * (to - from)) % size == 0;
            EXPECT_EQ(share(from, to) == share(to, from), alike) << from << " and " << to;
        }
        EXPECT_EQ(sent, seen.specs[0].vector.count);
    }
}

TEST(SweepSpy, BuffersAreInPlaceOrTwoAndTakeTurns) {
    SweepOptions options = brief("all_reduce");
    for (const std::string place : {"yes", "no"}) {
        options.in_place = place;
        for (const std::size_t rotated : {1U, 3U}) {
            options.rotate = rotated == 1 ? "off" : "3";
            EXPECT_TRUE(run(options).passed());
            std::set<const void*> inputs;
            for (std::size_t i = 0; i < seen.calls.size(); ++i) {
                const Call& call = seen.calls[i];
                EXPECT_EQ(call.input == call.output, place == "yes") << place;
                inputs.insert(call.input);
                if (i >= rotated) {
                    EXPECT_EQ(call.input, seen.calls[i - rotated].input);
                }
            }
            EXPECT_EQ(inputs.size(), rotated);
        }
    }
}

TEST(SweepSpy, SecondsLimitTheIterationsOfTimesThatScatter) {
    pause_s = [](std::size_t run) { return run % 2 == 0 ? 1e-3 : 4e-3; };
    SweepOptions options = brief("all_reduce");
    options.iterations = 0;
    options.warmup = 1;
    const auto iterations = [&](double seconds) {
        options.seconds_per_point = seconds;
        return run(options).points.front().measurement.samples_s.size();
    };
    EXPECT_LT(iterations(0.01), 15U);  // ten at the least, and what a batch has more
    EXPECT_GT(iterations(1.0), 20U);   // 400 where ranks have cores of their own
    pause_s = {};
}

// By their interval ten that are alike are enough, of one rank after a fifth of a millisecond;
// ranks that take turns, and clocks, need longer to settle.
TEST(SweepSpy, TimesThatAreAlikeAreTakenForFourMilliseconds) {
    busy_s = 20e-6 * world().size();
    SweepOptions options = brief("all_reduce");
    options.iterations = 0;
    options.seconds_per_point = 2.0;  // not what ends it, though ranks take turns
    const auto samples_s = run(options).points.front().measurement.samples_s;
    busy_s = 0.0;
    EXPECT_GE(std::accumulate(samples_s.begin(), samples_s.end(), 0.0), 4e-3)
        << samples_s.size() << " samples";
}

TEST(SweepSpy, TheNoiseFloorComparesTwoThatAreAlike) {
    pause_s = [](std::size_t) { return 1e-3; };
    SweepOptions options = brief("all_reduce");
    options.seconds_per_point = 0.01;
    options.noise_floor = true;
    const Sweep sweep = run(options);
    pause_s = {};
    ASSERT_EQ(sweep.floors.size(), 1U);
    const NoiseFloor* floor = sweep.floor_of(sweep.points.front());
    ASSERT_NE(floor, nullptr);
    EXPECT_EQ(floor->algorithm, "spy");
    // After the point itself two warm rounds, and 39 in every try, of three runs of each.
    const auto before =
        static_cast<std::size_t>(runs_of_a_try * sweep.points.front().watched.tries);
    const auto rounds = static_cast<std::size_t>(2 + 39 * floor->watched.tries);
    ASSERT_EQ(seen.calls.size(), before + rounds * 2 * 3);
    EXPECT_EQ(floor->iterations_per_round, 3);
    EXPECT_EQ(floor->spread.ratios.size(), 39U);
    std::vector<const void*> turns;
    for (std::size_t i = before; i < seen.calls.size(); i += 3) {
        turns.push_back(seen.calls[i].input);
    }
    EXPECT_NE(turns[0], turns[1]);
    for (std::size_t i = 3; i < 2 * (2 + 39); i += 4) {
        EXPECT_EQ(turns[i - 1], turns[i - 2]) << "who went second goes first";
        EXPECT_EQ(turns[i], turns[i - 3]);
    }
    // They take 1 ms and what the machine adds, so half of all rounds are about equal.
    EXPECT_GT(floor->spread.median, 0.7);
    EXPECT_LT(floor->spread.median, 1.4);
    EXPECT_LE(floor->spread.range.low, floor->spread.median);
    EXPECT_GE(floor->spread.range.high, floor->spread.median);
}

}  // namespace
}  // namespace shardstone::validation
