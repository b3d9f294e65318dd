// SPDX-License-Identifier: BSD-3-Clause
// The real command on a curve whose every figure is known: the columns it prints and writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "results/format/atomic_file.hpp"
#include "results/report/words.hpp"
#include "results/schema/scaling.hpp"
#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// On 2, 4 and 8 ranks; the parts of a step add up to it, the predicted ones to other times.
class ScaleColumns : public testing::Test {
  protected:
    ScaleColumns() {
        write_all({run(2, 1000.0, 0.15), run(4, 1600.0, 0.19), run(8, 2500.0, 0.23)},
                  folder_ / "runs");
    }
    static Record run(int ranks, double rate, double predicted_s) {
        const double tokens = 100.0 * ranks;
        return written_run({ranks, rate, tokens, {{"input", {tokens / rate, predicted_s}}}});
    }
    Outcome scale(const std::string& words) const {
        return run_shell(fmt::format("cd {} && {} scale {}", folder_.path().string(),
                                     shardstone_binary(), words),
                         folder_);
    }

    TemporaryFolder folder_;
};

TEST_F(ScaleColumns, ArePrintedInOrder) {
    const auto outcome = scale("runs");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const auto line = [](const std::string& before, double step_s, double predicted_s) {
        return std::regex(
            fmt::format("\n +{} +{} +{}\n", before, time_text(step_s), time_text(predicted_s)));
    };
    const auto& text = outcome.output;
    EXPECT_TRUE(
        std::regex_search(text, line("2 +1 +1 000 +900 to 1 200 +1[.]00 +100 % +-", 0.2, 0.15)))
        << text;
    EXPECT_TRUE(std::regex_search(
        text, line("4 +1 +1 600 +1 440 to 1 920 +1[.]60 +80[.]0 % +-", 0.25, 0.19)))
        << text;
    EXPECT_TRUE(std::regex_search(
        text, line("8 +1 +2 500 +2 250 to 3 000 +2[.]50 +62[.]5 % +-", 0.32, 0.23)))
        << text;
}

TEST_F(ScaleColumns, AreThoseOfThePointsInCsv) {
    ASSERT_EQ(scale("runs --csv out.csv --json out.json").code, 0);
    const auto csv = read_file(folder_ / "out.csv");
    EXPECT_TRUE(csv.starts_with("curve,ranks,runs,split_runs,tokens_per_s,tokens_per_s_low,"))
        << csv;
    EXPECT_EQ(std::ranges::count(csv, '\n'), 4) << csv;
    const auto point = rows_of<ScalingRow>(read_record(folder_ / "out.json")).at(1);
    EXPECT_EQ(point.ranks, 4.0);
    EXPECT_NEAR(point.step_s, 0.25, 1e-12);
    EXPECT_NEAR(point.predicted_s, 0.19, 1e-12);
    EXPECT_EQ(point.disturbed, 0.0);
}

TEST_F(ScaleColumns, SayOfDisturbedPointsThatTheyAre) {
    ScaledRun busy{16, 3000.0, 1600.0};
    busy.disturbed = true;
    write_all({written_run(busy)}, folder_ / "runs/busy");
    const auto outcome = scale("runs --json out.json");
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex("\n +16 +1 +3 000 ?!")))
        << outcome.output;
    const auto rows = rows_of<ScalingRow>(read_record(folder_ / "out.json"));
    EXPECT_EQ(rows.at(3).disturbed, 1.0);
    EXPECT_EQ(rows.at(2).disturbed, 0.0);
}

TEST_F(ScaleColumns, NameFilesThatDoNotCount) {
    write_file(folder_ / "runs/other.json", "{}\n");
    const auto outcome = scale("runs");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(std::regex_match(
        outcome.errors,
        std::regex("shardstone scale: 'runs/other[.]json' does not count: [^\n]+\n")))
        << outcome.errors;
}

}  // namespace
}  // namespace shardstone::validation
