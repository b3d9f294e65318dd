// SPDX-License-Identifier: BSD-3-Clause
// `train --explain`: the steps that are split are the last ones, each with its own input, and every
// figure stands in its column.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "results/schema/training.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

GapRow part_of(const Record& record, const std::string& part) {
    for (const GapRow& row : rows_of<GapRow>(record)) {
        if (row.part == part) return row;
    }
    throw std::runtime_error("no part " + part);
}

double sum_of(const Record& record, double GapRow::*member) {
    double sum = 0.0;
    for (const GapRow& row : rows_of<GapRow>(record)) sum += row.*member;
    return sum;
}

// Of the last three of six steps. A device loads for as long as its pace says, however long its
// rank took for it.
TEST(ExplainedSteps, AreTheLastHalfWithTheirOwnInput) {
    const RecordedRun run(
        0,
        "train --model nano --pace 0.5 --pace-input 3 --global-batch 4 --micro-batch 4 --steps 6 "
        "--explain");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const GapRow input = part_of(run.record(), "input");
    EXPECT_EQ(input.split_steps, 3.0);
    for (const double time_s : {input.time_s, input.time_s_low, input.time_s_high}) {
        EXPECT_NEAR(time_s, 3e-3, 1e-9);
    }
}

// Its passes are asleep for as long as they are to take.
TEST(ExplainedSteps, AreTheOnlyOneOfOne) {
    const RecordedRun run(
        0, "train --model nano --pace 2 --pace-memory 3 --global-batch 2 --steps 1 --explain");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const GapRow useful = part_of(run.record(), "useful passes");
    EXPECT_EQ(useful.split_steps, 1.0);
    EXPECT_GT(useful.time_s, 0.5 * useful.predicted_s);
    EXPECT_GT(useful.predicted_s, 0.01);
    const auto& basis = run.record().configuration.at("prediction");
    EXPECT_EQ(basis.at("gflop_per_s"), 2.0);
    EXPECT_EQ(basis.at("memory_gb_per_s"), 3.0);
}

/// A rank takes three times as long as the prediction, which does not know of it, says; and nothing
/// overlaps, so that to overlap all of it is more than links twice as fast.
class ExplainedSlowRun : public testing::Test {
  protected:
    static const RecordedRun& run() {
        static const RecordedRun one(
            3,
            "train --model nano --pace 1 --pace-slow 1:3 --plan dp=3 --no-overlap "
            "--global-batch 6 --steps 4 --explain");
        return one;
    }
    static ChangedStepRow changed(const std::string& change) {
        for (const auto& row : rows_of<ChangedStepRow>(run().record())) {
            if (row.change == change) return row;
        }
        throw std::runtime_error("no change " + change);
    }
};

TEST_F(ExplainedSlowRun, HoldsMeasuredAndPredictedSteps) {
    ASSERT_EQ(run().code(), 0) << run().errors() << run().output();
    const double step_s = sum_of(run().record(), &GapRow::time_s);
    const double predicted_s = sum_of(run().record(), &GapRow::predicted_s);
    EXPECT_GT(step_s, 2.0 * predicted_s);
    for (const char* change :
         {"slowest links twice as fast", "perfect overlap", "another all-reduce"}) {
        const ChangedStepRow row = changed(change);
        EXPECT_GT(row.step_s, 2.0 * row.predicted_s) << change;
        EXPECT_GT(row.predicted_s, 0.5 * predicted_s) << change;
    }
    const double overlapped_s = changed("perfect overlap").predicted_s;
    EXPECT_LT(overlapped_s, changed("slowest links twice as fast").predicted_s);
    EXPECT_LT(changed("slowest links twice as fast").predicted_s, predicted_s);
    // Nothing is left but what a rank computes.
    const double computed_s = part_of(run().record(), "useful passes").predicted_s +
                              part_of(run().record(), "optimizer").predicted_s;
    EXPECT_NEAR(overlapped_s, computed_s, 1e-9);
}

TEST_F(ExplainedSlowRun, PrintsTheSumsOfBothColumns) {
    const double predicted_s = sum_of(run().record(), &GapRow::predicted_s);
    const GapRow useful = part_of(run().record(), "useful passes");
    const auto& text = run().output();
    const auto line = text.substr(text.find("    useful passes"));
    const auto shares = line.substr(0, line.find('\n'));
    EXPECT_NE(shares.find(fmt::format("{:.1f} %", 100.0 * useful.predicted_s / predicted_s)),
              std::string::npos)
        << shares;
}

/// Has MPI take odd and even ranks for two nodes.
class TwoNodes {
  public:
    TwoNodes() { setenv(name, "1", 1); }
    TwoNodes(const TwoNodes&) = delete;
    TwoNodes& operator=(const TwoNodes&) = delete;
    ~TwoNodes() { unsetenv(name); }

  private:
    static constexpr const char* name = "MPIR_CVAR_ODD_EVEN_CLIQUES";
};

// The two ranks of each tensor group are on both nodes then, and those of a data group on one: what
// is sent between nodes grows with the batch, as gradients do not.
TEST(ExplainedSteps, ArePredictedOnTheNodesThatTheRanksAreOn) {
    const TwoNodes nodes;
    const auto run_of = [](int global_batch) {
        return RecordedRun(
            4, fmt::format("train --model nano --pace 20 --plan tp=2,dp=2 --global-batch {} "
                           "--steps 1 --no-overlap --explain",
                           global_batch));
    };
    const auto between_s = [](const RecordedRun& run) {
        return part_of(run.record(), "bandwidth between nodes").predicted_s;
    };
    const RecordedRun few = run_of(16);
    const auto& nodes_found = few.record().environment.at("node_of_ranks");
    if (nodes_found == nlohmann::json({0, 0, 0, 0})) GTEST_SKIP() << "this MPI has one node here";
    EXPECT_EQ(nodes_found, nlohmann::json({0, 1, 0, 1}));
    const double of_few_s = between_s(few);
    EXPECT_GT(of_few_s, 1e-6);
    EXPECT_NEAR(between_s(run_of(64)), 4.0 * of_few_s, 0.1 * of_few_s);
}

}  // namespace
}  // namespace shardstone::validation
