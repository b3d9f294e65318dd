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

// Products take as long as their FLOP; those of norms and biases, 1.4 % of this model's, are in
// none. While a rank moves messages between two passes, its device is busy with the second already:
// that time, up to 3 % of these, counts as communication. The embedding reads two rows for each
// position and writes one, as does its gradient. AdamW reads four numbers of each parameter and
// writes three, the norm reads one.
void expect_times(int ranks, double gflop_per_s, double memory_gb_per_s) {
    const RecordedRun run(ranks, fmt::format("overlap --model nano --global-batch 12 --rounds 6 "
                                             "--pace {} --pace-memory {}",
                                             gflop_per_s, memory_gb_per_s));
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const Record& record = run.record();
    const double rows = setting(record, "global_batch") * setting(record, "sequence") / ranks;
    const double moved_s = 6.0 * 4.0 * rows * setting(record, "channels") / (memory_gb_per_s * 1e9);
    const double passes_s = flop_of_step(record) / ranks / (gflop_per_s * 1e9) + moved_s;
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

}  // namespace
}  // namespace shardstone::validation
