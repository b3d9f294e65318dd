// SPDX-License-Identifier: BSD-3-Clause
// What is said of the time of the tests is what took it.
#include "validation/interconnect/budget_words.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "validation/interconnect/acceptance_file.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"
#include "validation/unit/validation/interconnect/findings/undecided_row.hpp"

namespace shardstone::validation {
namespace {

const std::string least = "Each part has a least number of repetitions, below which it decides";
const std::string again = "Ranks took turns again, whatever the budget";

InterconnectMeasurement took(double tests_s, double turns_again_s) {
    InterconnectMeasurement measured;
    measured.tests_s = tests_s;
    measured.turns_again_s = turns_again_s;
    measured.parts = {{"readings of clocks", 1.0},
                      {"passes over pairs", 6.0},
                      {"tests of ranks", tests_s - 10.0}};
    return measured;
}

TEST(BudgetWords, NameWhatTookTheTime) {
    EXPECT_EQ(over_budget_in_words(took(26.0, 0.0), 25.0), "") << "about as long";
    const auto words = over_budget_in_words(took(50.0, 0.0), 25.0);
    EXPECT_TRUE(words.starts_with(
        "The tests took 50.0 s instead of --budget 25: readings of clocks 1.00 s, "
        "passes over pairs 6.00 s, tests of ranks 40.0 s, preparing them 3.00 s.\n" +
        least))
        << words;
    EXPECT_EQ(words.find(again), std::string::npos);
}

TEST(BudgetWords, TurnsAgainAreNotTheLeastNumber) {
    const auto words = over_budget_in_words(took(40.0, 20.0), 25.0);
    EXPECT_NE(words.find("tests of ranks 30.0 s (turns again 20.0 s)"), std::string::npos) << words;
    EXPECT_NE(words.find(again), std::string::npos) << words;
    EXPECT_EQ(words.find(least), std::string::npos) << "the others fit: " << words;
    const auto both = over_budget_in_words(took(60.0, 20.0), 25.0);
    EXPECT_NE(both.find(again), std::string::npos) << both;
    EXPECT_NE(both.find(least), std::string::npos) << both;
}

TEST(BudgetWords, OnlyLimitsThatSamplesDecideCallForABudget) {
    const auto measured = took(26.0, 0.0);
    const std::vector rows{undecided(24.0, 24.0, 1536.0)};
    EXPECT_EQ(what_decides_in_words(measured, rows, 0.0),
              "To decide the limits that need more samples: --budget 42, by the time that these "
              "took.\n");
    const std::vector never{undecided(0.0, 6.0, 0.0), undecided(24.0, 3000.0, 1536.0),
                            undecided(24.0, 1 << 20, 0.0), undecided(24.0, 0.0, 1536.0)};
    EXPECT_EQ(what_decides_in_words(measured, never, 0.0), "");
}

TEST(BudgetWords, ASoakThatWentOnSaysWhatTheFirstRunSaid) {
    const std::vector rows{undecided(24.0, 24.0, 1536.0)};
    const std::string soak = "The messages of the soak (--for) do not count for them.\n";
    EXPECT_TRUE(what_decides_in_words(took(26.0, 0.0), rows, 60.0).ends_with("took.\n" + soak));
    EXPECT_EQ(what_decides_in_words(InterconnectMeasurement{}, rows, 60.0),
              "To decide the limits that need more samples: a run without --resume, with a larger "
              "--budget.\n" +
                  soak);
}

/// The reason that this limit gives, by readings of a clock that may be wrong by 20 us each.
std::string reason_of(const std::string& limit) {
    auto samples = planted_samples();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 8; ++i) {
            samples.clocks.push_back({1.0, double(round), 1.7e9 + 100.0 * round, 5e-6, 20e-6});
        }
    }
    samples.limits = parse_acceptance("[[limit]]\nstatistic = 'median'\n" + limit, "a test");
    for (const std::string& reason : find_in(samples).reasons) {
        if (reason.starts_with("clock ")) return reason;
    }
    return "";
}

TEST(BudgetWords, WhatDecidesALimitOnClocksIsSaid) {
    const std::string offset = reason_of("quantity = 'clock offset'\nlimit = 10\nunit = 'us'");
    EXPECT_NE(offset.find(": a run reads a clock 16 times, whatever its --budget: readings are "),
              std::string::npos)
        << offset;
    const std::string drift = reason_of("quantity = 'clock drift'\nlimit = 0.1\nunit = 'ppm'");
    EXPECT_NE(drift.find(": a larger --budget reads the clocks further apart"), std::string::npos)
        << drift;
}

}  // namespace
}  // namespace shardstone::validation
