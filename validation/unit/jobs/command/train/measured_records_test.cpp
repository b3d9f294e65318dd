// SPDX-License-Identifier: BSD-3-Clause
// The records of `overlap` and `study pipeline`: their figures follow from their samples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "results/schema/studies.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// Of a table of figures by name.
double figure(const results::Record& record, const std::string& name,
              double results::OverlapRow::*which) {
    for (const auto& row : results::rows_of<results::OverlapRow>(record)) {
        if (row.figure == name) return row.*which;
    }
    ADD_FAILURE() << "no figure " << name;
    return 0.0;
}

template <class Row>
std::vector<double> of_way(const results::Record& record, const std::string& way,
                           double Row::*which) {
    std::vector<double> values;
    for (const Row& row : results::rows_of<Row>(record)) {
        if (row.way == way) values.push_back(row.*which);
    }
    return values;
}

TEST(OverlapRecord, FollowsFromWhatEveryRankMeasured) {
    using Round = results::OverlapRoundRow;
    using Rank = results::OverlapRankRow;
    using Figure = results::OverlapRow;
    const RecordedRun run(2, "overlap --model nano --rounds 8 --global-batch 4");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    const std::vector<std::tuple<std::string, double Round::*, double Rank::*>> times{
        {"step_s", &Round::step_s, &Rank::step_s},
        {"exposed_s", &Round::exposed_s, &Rank::exposed_s},
        {"compute_s", &Round::compute_s, &Rank::compute_s},
        {"preempted_s", &Round::preempted_s, &Rank::preempted_s}};
    for (const std::string way : {"overlapped", "apart"}) {
        const auto rounds = of_way<Rank>(record, way, &Rank::round);
        const auto numbers = of_way<Rank>(record, way, &Rank::rank);
        ASSERT_EQ(rounds.size(), 16U);
        for (std::size_t i = 0; i < rounds.size(); ++i) {
            EXPECT_EQ(rounds[i], static_cast<double>(i / 2)) << way << " row " << i;
            EXPECT_EQ(numbers[i], static_cast<double>(i % 2)) << way << " row " << i;
        }
        for (const auto& [what, of_round, of_rank] : times) {
            const auto slowest = of_way<Round>(record, way, of_round);
            const auto ranks = of_way<Rank>(record, way, of_rank);
            ASSERT_EQ(slowest.size(), 8U);
            ASSERT_EQ(ranks.size(), 16U);
            for (std::size_t round = 0; round < slowest.size(); ++round) {
                EXPECT_EQ(slowest[round], std::max(ranks[2 * round], ranks[2 * round + 1]));
            }
            const std::string name = way + "_" + what;
            EXPECT_DOUBLE_EQ(figure(record, name, &Figure::median), middle_of(slowest));
            // Of eight samples the first and the eighth: 2 / 2^8 miss, 2 * 9 / 2^8 would be more.
            EXPECT_EQ(figure(record, name, &Figure::low), std::ranges::min(slowest));
            EXPECT_EQ(figure(record, name, &Figure::high), std::ranges::max(slowest));
        }
    }
    EXPECT_TRUE(record.has_table("outliers")) << "it was watched";
    EXPECT_GE(record.configuration.at("warmup_rounds"), 10);  // two windows of five
    EXPECT_LE(record.configuration.at("warmup_rounds"), 30);
}

TEST(PipelineRecord, FollowsFromItsSteps) {
    const RecordedRun run(2,
                          "study pipeline --schedules gpipe --micro-batches 2 --steps 7 "
                          "--layers 1 --channels 32");
    // Of so small a model the head weighs too much for the check that holds passes to be equal.
    ASSERT_LE(run.code(), 1) << run.errors() << run.output();
    const auto record = run.record();
    const auto& shares = column(record, "pipeline_steps", "utilisation");
    const auto& spans = column(record, "pipeline_steps", "span_s");
    ASSERT_EQ(shares.size(), 7U);
    EXPECT_DOUBLE_EQ(single(record, "utilisation", "measured"), middle_of(shares));
    EXPECT_DOUBLE_EQ(single(record, "utilisation", "median_span_s"), middle_of(spans));
    // Of seven the first and the seventh: 2 / 2^7 miss, 2 * 8 / 2^7 would be more than 5 %.
    EXPECT_EQ(single(record, "utilisation", "median_span_low_s"), std::ranges::min(spans));
    EXPECT_EQ(single(record, "utilisation", "median_span_high_s"), std::ranges::max(spans));
    EXPECT_EQ(single(record, "utilisation", "measured_low"), std::ranges::min(shares));
    EXPECT_GE(single(record, "utilisation", "warmup_steps"), 10);
    EXPECT_LE(single(record, "utilisation", "warmup_steps"), 20);
}

TEST(PipelineRecord, WarmsUpForNoMoreStepsThanItIsTold) {
    for (const double steps : {0.0, 3.0}) {  // fewer than show that times have settled
        const RecordedRun run(
            2, fmt::format("study pipeline --schedules gpipe --micro-batches 2 --steps 1 "
                           "--layers 1 --channels 32 --warmup {}",
                           steps));
        ASSERT_LE(run.code(), 1) << run.errors() << run.output();
        EXPECT_EQ(single(run.record(), "utilisation", "warmup_steps"), steps);
    }
}

/// Held-out losses on the way of the training that the noise is measured on.
std::vector<double> losses_of_study(int warmup) {
    const RecordedRun run(
        1,
        fmt::format("study batch-size --batches 16 --factors 1 --most-sequences 512 --eval-every "
                    "128 --noise-pairs 2 --tokens 20000 --lr 0.008 --warmup {}",
                    warmup));
    EXPECT_LE(run.code(), 1) << run.errors() << run.output();  // so few steps reach no target
    return column(run.record(), "noise", "validation_loss");
}

// Of 32 steps, whose rate is at its peak from the first on, or reaches it with the last: a quarter
// of the way there, the former has learnt more.
TEST(BatchStudyRecord, WarmsTheRateUpForSoManySteps) {
    const auto at_once = losses_of_study(0), gentle = losses_of_study(32);
    ASSERT_EQ(at_once.size(), 3U);  // after evaluations 1, 2 and 4
    ASSERT_EQ(gentle.size(), 3U);
    EXPECT_LT(at_once.front(), gentle.front() - 0.02);
}

// The noise is measured on a training of --base-batch, also where no rate is scaled from it.
TEST(BatchStudyRecord, MeasuresTheNoiseWithoutAScaledRate) {
    const RecordedRun run(1,
                          "study batch-size --batches 16 --factors 1 --most-sequences 512 "
                          "--eval-every 128 --noise-pairs 2 --tokens 20000 --scale-rate none");
    EXPECT_LE(run.code(), 1) << run.errors() << run.output();
    EXPECT_EQ(column(run.record(), "noise", "noise_scale").size(), 3U);
}

}  // namespace
}  // namespace shardstone::validation
