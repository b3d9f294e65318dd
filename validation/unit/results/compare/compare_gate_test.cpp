// SPDX-License-Identifier: BSD-3-Clause
// `shardstone compare` as a gate: exit codes, warnings, and what single runs can tell.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "results/record/record.hpp"
#include "validation/unit/results/compare/real_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

class CompareGate : public testing::Test, protected ComparedRuns {
  protected:
    CompareGate() { write_sweeps("base", one_percent); }

    void write_slower(const std::string& folder, double factor) const {
        write_sweeps(folder, other_one_percent, [factor](Record& record) {
            for (const char* column : {"time_s", "time_low_s", "time_high_s"}) {
                multiply(record, "collectives", column, factor, "ring");
            }
        });
    }
};

TEST_F(CompareGate, EndsWithOneIfARowIsWorseByTheLimit) {
    write_slower("new", 1.05);
    const auto failed = compare("--baseline base new --fail-if-worse 3%");
    EXPECT_EQ(failed.code, 1);
    EXPECT_TRUE(std::regex_match(
        failed.errors,
        std::regex("shardstone compare: 2 of 4 rows worse by 3 % or more, most of "
                   "all time_s of collectives ring, (1|16) KiB \\(by a factor of 1\\.05\\d\\)\n")))
        << failed.errors;
    EXPECT_NE(failed.output.find("2 worse"), std::string::npos);
    EXPECT_EQ(compare("base new --fail-if-worse 3%").code, 1);
    EXPECT_EQ(compare("base new --fail-if-worse 8%").code, 0);  // worse, but by less
    EXPECT_EQ(compare("base new").code, 0);
}

// 1 / 1.05 of the rate is as bad as 1.05 times the time.
TEST_F(CompareGate, JudgesRatesByTheirInverse) {
    const auto scaled = [](double factor) {
        return [factor](Record& record) { multiply(record, "summary", "tokens_per_s", factor); };
    };
    write_trainings("trained", one_percent);
    write_trainings("slow", other_one_percent, scaled(1.0 / 1.05));
    write_trainings("fast", other_one_percent, scaled(1.05));
    EXPECT_EQ(compare("--baseline trained slow --fail-if-worse 4.9%").code, 1);
    EXPECT_EQ(compare("--baseline trained slow --fail-if-worse 5.1%").code, 0);
    EXPECT_EQ(compare("--baseline trained fast --fail-if-worse 3%").code, 0);
}

TEST_F(CompareGate, EndsWithZeroIfRowsAreBetterOrTheSame) {
    write_slower("faster", 1.0 / 1.05);
    write_slower("same", 1.0);
    for (const char* folder : {"faster", "same"}) {
        const auto outcome =
            compare(std::string("--baseline base ") + folder + " --fail-if-worse 3%");
        EXPECT_EQ(outcome.code, 0) << outcome.errors;
        EXPECT_EQ(outcome.errors, "");
    }
}

// A limit below the margin lowers it: otherwise what fails would be the same.
TEST_F(CompareGate, SeesSlowdownsBelowTheMargin) {
    write_slower("new", 1.02);
    const auto quiet = [&](const std::string& folder) {
        std::vector<double> factors(one_percent.size());
        for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = std::pow(one_percent[i], 0.1);
        write_sweeps(folder, factors, [&](Record& record) {
            if (folder == "slow") multiply(record, "collectives", "time_s", 1.02, "ring");
            multiply(record, "collectives", "time_low_s", NAN);
        });
    };
    quiet("quick");
    quiet("slow");
    EXPECT_NE(compare("quick slow").output.find("4 same"), std::string::npos);
    const auto failed = compare("quick slow --fail-if-worse 1%");
    EXPECT_EQ(failed.code, 1) << failed.output;
    EXPECT_NE(failed.errors.find("2 of 4 rows worse by 1 % or more"), std::string::npos);
}

// Disturbed and noisy rows do not fail, but are no proof either.
TEST_F(CompareGate, WarnsOfRowsThatItCouldNotDecide) {
    write_sweeps("noisy", {0.7, 1.4, 1.1, 0.9, 1.0});
    const auto outcome = compare("--baseline base noisy --fail-if-worse 3%");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.errors.find("warning: 4 rows could be worse by 3 % without being seen"),
              std::string::npos)
        << outcome.errors;
    EXPECT_NE(outcome.output.find("4 undecided"), std::string::npos);
    EXPECT_TRUE(std::regex_search(
        outcome.output, std::regex("About \\d+ runs on each side would put the noise floor")))
        << outcome.output;
}

TEST_F(CompareGate, NamesRowsOfTheBaselineThatAreMissing) {
    write_sweeps("new", other_one_percent, [](Record& record) {
        for (Table& table : record.derived) {
            if (table.name != "collectives") continue;
            for (auto& column : table.columns) {
                if (!column.numbers.empty()) column.numbers.pop_back();
                if (!column.texts.empty()) column.texts.pop_back();
            }
        }
    });
    const auto outcome = compare("--baseline base new --fail-if-worse 3%");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.errors.find("warning: 1 row of A is missing in B"), std::string::npos)
        << outcome.errors;
    EXPECT_TRUE(std::regex_search(outcome.output,
                                  std::regex("\nonly in A: collectives, (ring|mpi), 16 KiB\n")))
        << outcome.output;
    EXPECT_TRUE(std::regex_search(compare("new base").output,
                                  std::regex("\nonly in B: collectives, (ring|mpi), 16 KiB\n")));
}

TEST_F(CompareGate, TakesSeveralNewRecords) {
    write_slower("new", 1.05);
    const auto outcome =
        compare("--baseline base new/0.json new/1.h5 new/2.json new/3.h5 --fail-if-worse 3%");
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("B: 4 runs"), std::string::npos);
    EXPECT_NE(outcome.output.find("5/4"), std::string::npos);
}

TEST_F(CompareGate, SaysThatTheDeviationOfSingleRunsIsAssumed) {
    write_slower("new", 1.05);
    const auto single = compare("base/2.json new/2.json --fail-if-worse 3%");
    EXPECT_EQ(single.code, 0);
    EXPECT_NE(single.output.find("undecided (one run on each side)"), std::string::npos);
    EXPECT_NE(
        single.output.find("not measured but assumed to be 5 % (--run-deviation), on which no "
                           "verdict is based"),
        std::string::npos)
        << single.output;
    write_slower("far", 1.9);
    EXPECT_EQ(compare("base/2.json far/2.json --fail-if-worse 3%").code, 0);
    const auto far = compare("base/2.json far/2.json --fail-if-worse 3% --run-deviation 4%");
    EXPECT_EQ(far.code, 1) << far.output;
    EXPECT_NE(far.output.find("stated to be 4 %"), std::string::npos) << far.output;
}

TEST_F(CompareGate, RefusesWhatHasNothingInCommon) {
    write_trainings("train", one_percent);
    const auto outcome = compare("--baseline base train --fail-if-worse 3%");
    EXPECT_TRUE(outcome.is_one_line_about("A (collectives) and B (train) have no row in common"))
        << outcome.errors;
}

}  // namespace
}  // namespace shardstone::validation
