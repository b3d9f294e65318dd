// SPDX-License-Identifier: BSD-3-Clause
// The pipeline study on real ranks: nothing is timed against a bound, as the machine may be busy.
#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/training/pipeline_record.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

PipelineStudy small_study() {
    return {.model = {"small", 256, 32, 2 * world().size(), 2, 16},
            .micro_batch = 1,
            .sequence = 16,
            .schedules = {"naive", "gpipe", "zb-h1"},
            .micro_batches = {1, 3},
            .most_warmup = 1,
            .steps = 3};
}

TEST(PipelineStudy, MeasuresEverySchedule) {
    const auto text = text_in(reference::MarkovLanguage(1, 16, 1), 5000, 1000);
    const PipelineStudy study = small_study();
    std::size_t groups = 0;
    Watch watch(world());
    auto points = run_pipeline_study(world(), study, text, watch, [&](const auto&) { ++groups; });
    if (!world().is_root()) {
        EXPECT_TRUE(points.empty());
        return;
    }
    EXPECT_EQ(groups, 2U);
    ASSERT_EQ(points.size(), 6U);
    for (const PipelinePoint& point : points) {
        EXPECT_EQ(point.utilisations.size(), 3U);
        for (const double utilisation : point.utilisations) {
            EXPECT_GT(utilisation, 0.0);
            EXPECT_LE(utilisation, 1.0);
        }
        EXPECT_GT(point.replayed, 0.0);
        EXPECT_LE(point.replayed, 1.0 + 1e-12);
    }
    EXPECT_DOUBLE_EQ(points[3].formula, 1.0 / world().size());
    EXPECT_DOUBLE_EQ(points[4].formula, 3.0 / (2.0 + world().size()));

    results::Record record;
    fill_pipeline_record(study, world().size(), points, record);
    EXPECT_EQ(record.samples.front().rows(), 18U);
    EXPECT_EQ(record.derived.front().rows(), 6U);
    EXPECT_TRUE(record.verification.front().passed) << record.verification.front().detail;
    points[4].losses.back() += 1e-12;
    fill_pipeline_record(study, world().size(), points, record);
    EXPECT_FALSE(record.verification.front().passed);
}

}  // namespace
}  // namespace shardstone::validation
