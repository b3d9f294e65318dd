// SPDX-License-Identifier: BSD-3-Clause
// Paced `overlap` and `study pipeline` take the times of the devices that were asked for, counted
// by hand from the sizes in their records, also with more ranks than cores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "results/schema/studies.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using results::OverlapRow;
using results::Record;
using results::UtilisationRow;

double setting(const Record& record, const std::string& name) {
    return record.configuration.at(name).get<double>();
}

/// Of a step on all ranks: 6 N + 6 L C T per token, N without the position embedding.
double flop_of_step(const Record& record) {
    const double channels = setting(record, "channels"), sequence = setting(record, "sequence");
    const double n = setting(record, "parameters") - setting(record, "context") * channels;
    const double per_token = 6.0 * n + 6.0 * setting(record, "layers") * channels * sequence;
    return per_token * setting(record, "global_batch") * sequence;
}

double median_of(const Record& record, const std::string& figure) {
    const auto rows = results::rows_of<OverlapRow>(record);
    const auto found = std::ranges::find(rows, figure, &OverlapRow::figure);
    EXPECT_NE(found, rows.end()) << figure;
    return found == rows.end() ? 0.0 : found->median;
}

RecordedRun paced_overlap(int ranks, const std::string& pace) {
    return RecordedRun(ranks, "overlap --model nano --global-batch 12 --rounds 6 " + pace);
}

// Products take as long as their FLOP; those of norms and biases, 1.4 % of this model's, are in
// none. The embedding reads two rows for each position and writes one, as does its gradient.
double passes_of(const Record& record, int ranks) {
    const double rows = setting(record, "global_batch") * setting(record, "sequence") / ranks;
    const double moved = 6.0 * 4.0 * rows * setting(record, "channels");
    return flop_of_step(record) / ranks / (setting(record, "pace_gflop_per_s") * 1e9) +
           moved / (setting(record, "pace_memory_gb_per_s") * 1e9);
}

// While a rank moves messages between two passes, its device is busy with the second already: that
// time, up to 3 % of the passes, counts as communication. AdamW reads four numbers of each
// parameter and writes three, the norm reads one.
void expect_times(int ranks, double gflop_per_s, double memory_gb_per_s) {
    const RecordedRun run = paced_overlap(
        ranks, fmt::format("--pace {} --pace-memory {}", gflop_per_s, memory_gb_per_s));
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const Record& record = run.record();
    const double passes_s = passes_of(record, ranks);
    const double optimizer_s = 8.0 * 4.0 * setting(record, "parameters") / (memory_gb_per_s * 1e9);
    EXPECT_GT(passes_s, 0.02);
    EXPECT_GT(optimizer_s, 0.02);
    for (const std::string way : {"overlapped", "apart"}) {
        const double compute_s = median_of(record, way + "_compute_s");
        EXPECT_GT(compute_s, 0.95 * passes_s) << way << ", " << ranks << " ranks";
        EXPECT_LT(compute_s, 1.12 * passes_s) << way << ", " << ranks << " ranks";
        const double step_s = median_of(record, way + "_step_s");
        EXPECT_GT(step_s, 0.98 * passes_s + optimizer_s) << way << ", " << ranks << " ranks";
        EXPECT_LT(step_s, 1.4 * (passes_s + optimizer_s)) << way << ", " << ranks << " ranks";
        EXPECT_EQ(median_of(record, way + "_preempted_s"), 0.0);
    }
}

TEST(PacedTimes, OverlapOnThreeRanksTakesAThirdOfTheProducts) {
    expect_times(3, 1.0, 0.05);
}

TEST(PacedTimes, OverlapOnTwoRanksAtAnotherPace) {
    expect_times(2, 2.0, 0.025);
}

// The quick rank has nothing to hide the wait for the slow one behind: it is exposed both ways, all
// of it, less what the device of the slow rank has done while it moved messages (as above).
TEST(PacedTimes, OverlapHidesNothingOfASlowRank) {
    const RecordedRun run = paced_overlap(2, "--pace 2 --pace-memory 1000 --pace-slow 1:1.5");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const double passes_s = passes_of(run.record(), 2);
    EXPECT_GT(passes_s, 0.02);
    for (const std::string way : {"overlapped", "apart"}) {
        EXPECT_GT(median_of(run.record(), way + "_compute_s"), 0.95 * 1.5 * passes_s) << way;
        EXPECT_LT(median_of(run.record(), way + "_compute_s"), 1.12 * 1.5 * passes_s) << way;
        EXPECT_GT(median_of(run.record(), way + "_exposed_s"), (0.5 - 0.05) * passes_s) << way;
        EXPECT_LT(median_of(run.record(), way + "_step_s"), 1.4 * 1.5 * passes_s) << way;
    }
}

UtilisationRow row_of(const Record& record, const std::string& schedule) {
    for (const auto& row : results::rows_of<UtilisationRow>(record)) {
        if (row.schedule == schedule) return row;
    }
    ADD_FAILURE() << "no row of " << schedule;
    return {};
}

// Four micro-batches: the naive split has one stage busy at a time, 1F1B all but (p - 1) of m + p -
// 1 slots. Cores that are crowded would fill the stages of both alike. The naive step takes as long
// as all products one after the other.
void expect_utilisation(int stages) {
    constexpr double m = 4.0, gflop_per_s = 80.0;
    const RecordedRun run(
        stages, fmt::format("study pipeline --schedules naive,1f1b --micro-batches 4 --steps 6 "
                            "--warmup 2 --pace {}",
                            gflop_per_s));
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const Record& record = run.record();
    const auto naive = row_of(record, "naive"), interleaved = row_of(record, "1f1b");
    EXPECT_NEAR(naive.measured * stages, 1.0, 0.06) << stages << " stages";
    const double reached = m / (m + stages - 1);
    EXPECT_NEAR(interleaved.measured / reached, 1.0, 0.06) << stages << " stages";
    const double all_s = flop_of_step(record) / (gflop_per_s * 1e9);
    EXPECT_GT(naive.median_span_s, 0.98 * all_s) << stages << " stages";
    EXPECT_LT(naive.median_span_s, 1.15 * all_s) << stages << " stages";
    EXPECT_GT(interleaved.median_span_s, 0.98 * all_s / stages / reached) << stages << " stages";
    EXPECT_LT(interleaved.median_span_s, 1.15 * all_s / stages / reached) << stages << " stages";
}

TEST(PacedTimes, ThreeStagesReachTheFormula) {
    expect_utilisation(3);
}

TEST(PacedTimes, FiveStagesReachTheFormula) {
    expect_utilisation(5);
}

// One of three equal stages takes twice as long: the naive step, which is all stages' passes one
// after the other, grows by a third, and 1F1B waits for that stage alone, but for the first pass of
// the stage before it and its last, a part of 2 m + 1. The formula knows of no slow stage.
TEST(PacedTimes, PipelinesWaitForASlowStage) {
    constexpr double m = 4.0, gflop_per_s = 80.0;
    const RecordedRun run(
        3,
        "study pipeline --schedules naive,1f1b --micro-batches 4 --steps 6 --warmup 2 "
        "--pace 80 --pace-slow 1:2");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto naive = row_of(run.record(), "naive"), interleaved = row_of(run.record(), "1f1b");
    const double stage_s = flop_of_step(run.record()) / 3.0 / (gflop_per_s * 1e9);
    EXPECT_NEAR(naive.median_span_s / (4.0 * stage_s), 1.0, 0.06);
    EXPECT_NEAR(interleaved.median_span_s / ((2.0 * m + 1.0) / m * stage_s), 1.0, 0.06);
    EXPECT_NEAR(interleaved.measured, 4.0 / 3.0 * m / (2.0 * m + 1.0), 0.06);
    EXPECT_NEAR(interleaved.formula, m / (m + 2.0), 1e-12);
}

}  // namespace
}  // namespace shardstone::validation
