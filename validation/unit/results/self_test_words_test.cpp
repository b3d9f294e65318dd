// SPDX-License-Identifier: BSD-3-Clause
// What the shares of a self-test come to, by hand.
#include "results/report/self_test_words.hpp"

#include <gtest/gtest.h>

#include "results/report/section.hpp"
#include "results/schema/simulated_trials.hpp"
#include "validation/unit/results/report_rows.hpp"
namespace shardstone::validation {
namespace {

using results::DetectionRow;

DetectionRow row(const std::string& fault, double rate, double repetitions, double detected,
                 double localised) {
    DetectionRow row;
    row.fault = fault;
    row.rate = rate;
    row.repetitions = repetitions;
    row.detected = detected;
    row.localised = localised;
    return row;
}

TEST(SelfTestWords, AFaultIsNamedFromTheMildestRateOnWithTheFewestMessages) {
    const std::vector<DetectionRow> rows{
        row("nic-out", 0.9, 1, 0.5, 0.5),  row("nic-out", 0.7, 1, 1.0, 1.0),
        row("nic-out", 0.9, 3, 1.0, 0.95), row("nic-out", 0.7, 3, 1.0, 1.0),
        row("nic-out", 0.9, 7, 1.0, 1.0),  row("nic-out", 0.7, 7, 1.0, 1.0)};
    EXPECT_EQ(results::detection_in_words(rows),
              std::vector<std::string>{"nic-out is named in at least 95 % of trials at 90 % of its "
                                       "rate or less with 3 messages per test"});
}

TEST(SelfTestWords, ARateCountsOnlyIfEverySlowerOneIsSeen) {
    const std::vector<DetectionRow> rows{row("cable-in", 0.9, 1, 1.0, 1.0),
                                         row("cable-in", 0.7, 1, 1.0, 0.9)};
    EXPECT_EQ(results::detection_in_words(rows),
              std::vector<std::string>{
                  "cable-in is named at no rate tested, and detected in at least 95 % of trials at "
                  "90 % of its rate or less with 1 message per test"});
}

TEST(SelfTestWords, WhatIsNeverSeenIsSaidAndAlarmsAreTheWorst) {
    DetectionRow quiet = row("healthy", 1.0, 1, results::not_measured, results::not_measured);
    quiet.false_alarms = 0.0;
    quiet.false_alarms_high = 0.07;
    DetectionRow loud = quiet;
    loud.repetitions = 3;
    loud.false_alarms = 0.02;
    loud.false_alarms_high = 0.11;
    const std::vector<DetectionRow> rows{quiet, row("node", 0.7, 1, 0.1, 0.0), loud,
                                         row("node", 0.7, 3, 0.2, 0.0)};
    EXPECT_EQ(results::detection_in_words(rows),
              (std::vector<std::string>{
                  "at most 2 % of healthy clusters raise an alarm (95 % interval up to 11 %)",
                  "node is named at no rate tested, and detected at no rate tested"}));
}

TEST(SelfTestFigure, ShowsTheFaultsThatAreNamed) {
    auto record = written_record("simulated_trials", "left", 1);
    auto named = row("node", 0.6, 5.0, 1.0, 0.25);
    named.detected_low = named.detected_high = 1.0;
    named.localised_low = 0.2;
    named.localised_high = 0.3;
    record.derived = {results::table_of(std::vector{named})};
    const auto section = results::self_test_section(as_sources({record}));
    ASSERT_EQ(section->figures.size(), 1u);
    EXPECT_EQ(section->figures[0].traces.at(0).at("y").at(0).get<double>(), 25.0);
}

}  // namespace
}  // namespace shardstone::validation
