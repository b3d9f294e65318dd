// SPDX-License-Identifier: BSD-3-Clause
// The checks that a scaling study puts into its record, and what it says where it has none.
#include <gtest/gtest.h>

#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_rows.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

TEST(ScalingChecks, ChecksThatThePartsAddUp) {
    const auto checks = [](double input_s) {
        const auto sources =
            as_sources({written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}),
                        written_run({2, 1600.0, 200.0, {{"input", {input_s, 0.1}}}})});
        Record record;
        fill_record(scaling_curves(sources), record);
        return record.verification;
    };
    ASSERT_EQ(checks(0.125).size(), 3U) << "of two points, and of the runs";
    EXPECT_TRUE(checks(0.125)[0].passed);
    EXPECT_TRUE(checks(0.127)[1].passed);
    EXPECT_FALSE(checks(0.128)[1].passed);
    EXPECT_FALSE(checks(0.122)[1].passed);
    EXPECT_NE(checks(0.122)[1].name.find("2 ranks"), std::string::npos);
}

TEST(ScalingChecks, ChecksThatItsRunsPassedTheirs) {
    std::vector<Record> records{written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}),
                                written_run({2, 1600.0, 200.0, {}})};
    for (const bool passed : {true, false}) {
        records[1].verification[0].passed = passed;
        const auto sources = as_sources(records);
        Record record;
        fill_record(scaling_curves(sources), record);
        ASSERT_EQ(record.verification.size(), 2U);
        EXPECT_EQ(record.verification[1].passed, passed);
        EXPECT_TRUE(record.verification[1].detail.ends_with(", 2 ranks (no parts)"))
            << record.verification[1].detail;
    }
}

// What other processes took of a step lies in none of its parts.
TEST(ScalingChecks, ShowsThatPartsOfADisturbedPointDoNotAddUp) {
    const auto sources_with = [](double input_s) {
        ScaledRun disturbed{2, 1600.0, 200.0, {{"input", {input_s, 0.1}}}};
        disturbed.disturbed = true;
        return as_sources(
            {written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}), written_run(disturbed)});
    };
    const auto sources = sources_with(0.1);
    const auto curves = scaling_curves(sources);
    Record record;
    fill_record(curves, record);
    ASSERT_EQ(record.verification.size(), 2U) << "of the undisturbed base, and of the runs";
    EXPECT_NE(record.verification[0].name.find("1 rank:"), std::string::npos);
    EXPECT_TRUE(record.verification[1].passed);
    EXPECT_TRUE(record.verification[1].detail.starts_with("2 runs; no verdict on the parts of a "))
        << record.verification[1].detail;
    EXPECT_TRUE(record.verification[1].detail.ends_with(", 2 ranks (disturbed)"));
    const auto findings = scaling_findings(curves[0]);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NE(
        findings[0].find(" no verdict is drawn on the parts of a step on 2 ranks (their sum "
                         "is 100 ms, while it took 125 ms by the trainings' own clock) and what "),
        std::string::npos)
        << findings[0];
    const auto matching = sources_with(0.125);
    for (const std::string& text : scaling_findings(scaling_curves(matching)[0])) {
        EXPECT_EQ(text.find("their sum"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace shardstone::validation
