// SPDX-License-Identifier: BSD-3-Clause
// The record of the batch-size study from a made-up result: all its values differ, so that each can
// only be in its own column.
#include "benchmarks/training/batch_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "results/schema/studies.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

BatchStudy made_up_study() {
    BatchStudy study;
    study.training.model = reference::gpt_preset("nano");
    study.training.batch.sequence = 16;
    study.batches = {4, 8};
    return study;
}

BatchResult made_up_result() {
    BatchResult result;
    result.points = {{.batch = 4, .factor = 0.5, .peak_rate = 0.003, .steps = 90.0},
                     {.batch = 8, .factor = 2.0, .peak_rate = 0.007, .steps = 70.0}};
    result.noise = {{.step = 11, .loss = 3.5, .noise = {0.25, 1.5, 6.0, {2.0, 13.0}}},
                    {.step = 23, .loss = 2.75, .noise = {0.125, 2.5, 20.0, {5.0, 37.0}}}};
    result.fit = {.least_steps = 50.0, .least_samples = 120.0};
    return result;
}

results::Record record_of(const BatchResult& result) {
    results::Record record;
    fill_batch_record(made_up_study(), result, record);
    return record;
}

/// That of this name; a failed test where there is none.
results::Check check_of(const BatchResult& result, const std::string& name) {
    for (const auto& check : record_of(result).verification) {
        if (check.name == name) return check;
    }
    ADD_FAILURE() << "no check " << name;
    return {};
}

const std::string resolved = "the noise scale is resolved at the end";
const std::string reached = "every batch size reaches the target";

TEST(BatchRecord, HoldsEveryBatchAndTheFit) {
    const auto rows = results::rows_of<results::BatchRow>(record_of(made_up_result()));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].batch, 4.0);
    EXPECT_EQ(rows[1].batch, 8.0);
    EXPECT_EQ(rows[1].peak_rate, 0.007);
    EXPECT_EQ(rows[1].factor, 2.0);
    EXPECT_EQ(rows[1].steps, 70.0);
    EXPECT_EQ(rows[1].tokens, 70.0 * 8.0 * 16.0);
    EXPECT_EQ(rows[1].fitted_steps, 65.0);  // 50 + 120 / 8
    EXPECT_EQ(rows[1].fitted_tokens, 65.0 * 8.0 * 16.0);
    EXPECT_EQ(rows[0].fitted_tokens, 80.0 * 4.0 * 16.0);

    const auto fits = results::rows_of<results::TradeOffRow>(record_of(made_up_result()));
    ASSERT_EQ(fits.size(), 1U);
    EXPECT_EQ(fits[0].least_steps, 50.0);
    EXPECT_EQ(fits[0].least_sequences, 120.0);
    EXPECT_DOUBLE_EQ(fits[0].critical_batch, 2.4);
}

TEST(BatchRecord, HoldsTheNoiseOnTheWay) {
    const auto rows = results::rows_of<results::NoiseRow>(record_of(made_up_result()));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].step, 11.0);
    EXPECT_EQ(rows[1].step, 23.0);
    EXPECT_EQ(rows[1].validation_loss, 2.75);
    EXPECT_EQ(rows[1].gradient_square, 0.125);
    EXPECT_EQ(rows[1].trace, 2.5);
    EXPECT_EQ(rows[1].noise_scale, 20.0);
    EXPECT_EQ(rows[1].noise_scale_low, 5.0);
    EXPECT_EQ(rows[1].noise_scale_high, 37.0);
}

TEST(BatchRecord, NoiseWhoseIntervalReachesZeroIsNotResolved) {
    EXPECT_TRUE(check_of(made_up_result(), resolved).passed);
    auto result = made_up_result();
    result.noise.back().noise.interval = {-1.0, 3.0};
    EXPECT_FALSE(check_of(result, resolved).passed);
    result = made_up_result();
    result.noise.front().noise.interval = {-1.0, 3.0};
    EXPECT_TRUE(check_of(result, resolved).passed) << "only the end counts";
    result.noise.back().noise.gradient_square = -0.125;  // a ratio of two negative means
    EXPECT_FALSE(check_of(result, resolved).passed);
    result.noise.clear();
    EXPECT_FALSE(check_of(result, resolved).passed);
}

TEST(BatchRecord, ABatchThatMissesTheTargetIsNamed) {
    EXPECT_TRUE(check_of(made_up_result(), reached).passed);
    auto result = made_up_result();
    result.points[1].steps.reset();
    const auto check = check_of(result, reached);
    EXPECT_FALSE(check.passed);
    EXPECT_TRUE(check.detail.starts_with("8 sequences per step do not")) << check.detail;
    const auto row = results::rows_of<results::BatchRow>(record_of(result)).at(1);
    EXPECT_TRUE(std::isnan(row.steps) && std::isnan(row.tokens));
}

}  // namespace
}  // namespace shardstone::validation
