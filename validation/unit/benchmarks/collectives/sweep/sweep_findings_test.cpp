// SPDX-License-Identifier: BSD-3-Clause
// What the sweep says of speed: each sentence stands on quiet points only and is "undecided" where
// one of them was disturbed.
#include <gtest/gtest.h>

#include <limits>

#include "benchmarks/collectives/sweep/findings.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

/// All-reduces of 64 B on two ranks: ours takes 2 us, the library 5 us, and auto 3 us; of ours the
/// model said 4 us.
Sweep some_sweep() {
    Sweep sweep;
    const auto add = [&](const char* algorithm, double time_s, double predicted_s) {
        SweepPoint point;
        point.operation = "all_reduce";
        point.algorithm = algorithm;
        point.ranks = 2;
        point.size_bytes = 64;
        point.measurement.median_s = time_s;
        point.predicted_s = predicted_s;
        sweep.points.push_back(point);
    };
    add("auto", 3e-6, 1e-6);
    add("mpi", 5e-6, std::numeric_limits<double>::quiet_NaN());
    add("ring", 2e-6, 4e-6);
    return sweep;
}

Sweep with_disturbed(const std::string& algorithm) {
    Sweep sweep = some_sweep();
    for (SweepPoint& point : sweep.points) {
        if (point.algorithm == algorithm) point.watched.surroundings.others_share = 0.5;
    }
    return sweep;
}

bool says(const Sweep& sweep, const std::string& words) {
    const std::string text = findings(sweep);
    return text.find(words) != std::string::npos;
}

const std::string rival_ratio = "ring takes 2.00 us, mpi 5.00 us: 2.5 times as long\n";
const std::string rival_open = "ring or mpi: undecided: the machine was busy\n";
const std::string predicted = "all_reduce: median 2.00, largest 2.00, of 1 quiet point\n";
const std::string predicted_open = "all_reduce: undecided: the machine was busy\n";
const std::string choice = "64 B: 1.50 times as long as the best measured\n";
const std::string choice_open = "64 B: undecided: the machine was busy\n";

TEST(SweepFindings, AreRatiosOfQuietPoints) {
    for (const auto& words : {rival_ratio, predicted, choice}) {
        EXPECT_TRUE(says(some_sweep(), words)) << words << "not in:\n" << findings(some_sweep());
    }
    EXPECT_FALSE(says(some_sweep(), "undecided"));
    EXPECT_FALSE(says(some_sweep(), "DISTURBED"));
}

TEST(SweepFindings, AreUndecidedWhereOneOfTheirPointsWasDisturbed) {
    const Sweep ours = with_disturbed("ring"), rival = with_disturbed("mpi");
    for (const auto& words : {rival_open, predicted_open, choice_open}) {
        EXPECT_TRUE(says(ours, words)) << words << "not in:\n" << findings(ours);
    }
    EXPECT_TRUE(says(rival, rival_open)) << findings(rival);
    EXPECT_TRUE(says(rival, predicted)) << "nothing is predicted of the library's own";
    EXPECT_TRUE(says(rival, choice_open)) << findings(rival);
    EXPECT_TRUE(says(with_disturbed("auto"), rival_ratio)) << "auto is no part of that";
    EXPECT_TRUE(says(with_disturbed("auto"), choice_open));
    for (const auto& sweep : {ours, rival}) EXPECT_TRUE(says(sweep, "! DISTURBED: "));
}

}  // namespace
}  // namespace shardstone::validation
