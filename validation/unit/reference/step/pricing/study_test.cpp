// SPDX-License-Identifier: BSD-3-Clause
// The pipeline study on real ranks: nothing is timed against a bound, as the machine may be busy.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "benchmarks/training/pipeline_record.hpp"
#include "results/journal/recover.hpp"
#include "results/schema/studies.hpp"
#include "validation/unit/benchmarks/harness/quiet_machine.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

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

/// Part by part, as they are finished.
results::Record record_of(const PipelineStudy& study, const std::vector<PipelinePoint>& points) {
    results::Record record;
    begin_pipeline_record(study, world().size(), record);
    for (const std::int64_t m : study.micro_batches) {
        std::vector<PipelinePoint> of_one_number;
        std::ranges::copy_if(points, std::back_inserter(of_one_number),
                             [&](const PipelinePoint& point) { return point.micro_batches == m; });
        if (!of_one_number.empty()) {
            results::add_part(record,
                              part_of(PipelineGroup{of_one_number, {}, {{0, 0, 1.0, 1.0}}}));
        }
    }
    complete_pipeline_record(study, record);
    return record;
}

/// What a study of two groups has measured, and what is wrong with it if something is.
void expect_recorded(const PipelineStudy& study, std::vector<PipelinePoint> points) {
    const auto record = record_of(study, points);
    EXPECT_EQ(record.samples.front().rows(), 18U);
    EXPECT_EQ(record.derived.front().rows(), 6U);
    ASSERT_EQ(record.verification.size(), 3U);
    EXPECT_TRUE(record.verification[0].passed) << record.verification[0].detail;
    EXPECT_TRUE(record.verification[1].passed) << record.verification[1].detail;
    points[4].losses.back() += 1e-12;
    EXPECT_TRUE(record_of(study, points).verification[0].passed);
    EXPECT_FALSE(record_of(study, points).verification[1].passed);
    points.resize(3);  // as where a signal ended it
    EXPECT_EQ(record_of(study, points).verification[1].name, "the run was complete");
    EXPECT_FALSE(record_of(study, points).verified());
}

TEST(PipelineStudy, MeasuresEverySchedule) {
    const auto text = text_in(reference::MarkovLanguage(1, 16, 1), 5000, 1000);
    const PipelineStudy study = small_study();
    std::size_t groups = 0;
    Watch watch(world(), std::make_unique<QuietMachine>());
    const auto count = [&](const PipelineGroup& group) {
        ++groups;
        ASSERT_EQ(std::ssize(group.rank_times), world().size());
        double whole_s = 0.0;  // what the slowest rank may have worked in a stage pass at most
        for (const PipelinePoint& point : group.points) whole_s += std::ranges::max(point.spans_s);
        for (const RankPace& one : group.rank_times) {
            EXPECT_GT(one.own_s, 0.0);
            EXPECT_LT(one.own_s, 2.0 * whole_s);
        }
    };
    auto points = run_pipeline_study(world(), study, text, watch, count);
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
    expect_recorded(study, std::move(points));
}

TEST(PipelineStudy, OfPacedTrainingsNoLossesAreCompared) {
    const auto text = text_in(reference::MarkovLanguage(1, 16, 1), 5000, 1000);
    PipelineStudy study = small_study();
    study.pace = reference::Pace{1e12, 1e12};
    Watch watch(world(), std::make_unique<QuietMachine>());
    const auto points =
        run_pipeline_study(world(), study, text, watch, [](const PipelineGroup&) {});
    if (!world().is_root()) return;
    const auto record = record_of(study, points);
    EXPECT_DOUBLE_EQ(record.configuration.at("pace_gflop_per_s").get<double>(), 1000.0);
    ASSERT_EQ(record.verification.size(), 1U);
    EXPECT_EQ(record.verification[0].name, "virtual time is within 5 % of the formula");
}

/// Two schedules whose virtual time is this share of the formula; all figures of a row differ.
std::vector<PipelinePoint> made_up_points(double naive_share, double gpipe_share) {
    PipelinePoint naive;
    naive.schedule = "naive";
    naive.micro_batches = 3;
    naive.utilisations = {0.2, 0.3, 0.1};
    naive.spans_s = {11.0, 12.0, 13.0};
    naive.losses = {4.0, 3.5, 3.25};
    naive.formula = 0.25;
    naive.virtual_time = naive_share * naive.formula;
    PipelinePoint gpipe = naive;
    gpipe.schedule = "gpipe";
    gpipe.utilisations = {0.36, 0.41, 0.38, 0.44, 0.47, 0.31};
    gpipe.spans_s = {6.0, 2.0, 3.0, 5.0, 1.0, 7.0};  // six: the interval is from least to most
    gpipe.median = 0.395;
    gpipe.interval = {0.31, 0.47};
    gpipe.replayed = 0.62;
    gpipe.formula = 0.5;
    gpipe.virtual_time = gpipe_share * gpipe.formula;
    gpipe.warmup = 14;
    return {naive, gpipe};
}

results::Record made_up_record(double naive_share, double gpipe_share) {
    PipelineStudy study = small_study();
    study.schedules = {"naive", "gpipe"};
    study.micro_batches = {3};
    return record_of(study, made_up_points(naive_share, gpipe_share));
}

TEST(PipelineStudy, EveryFigureIsInItsColumn) {
    const auto record = made_up_record(1.0, 1.04);
    const auto rows = results::rows_of<results::UtilisationRow>(record);
    ASSERT_EQ(rows.size(), 2U);
    const auto& row = rows[1];
    EXPECT_EQ(row.schedule, "gpipe");
    EXPECT_EQ(row.micro_batches, 3.0);
    EXPECT_EQ(row.measured, 0.395);
    EXPECT_EQ(row.measured_low, 0.31);
    EXPECT_EQ(row.measured_high, 0.47);
    EXPECT_EQ(row.replayed, 0.62);
    EXPECT_EQ(row.virtual_time, 1.04 * 0.5);
    EXPECT_EQ(row.formula, 0.5);
    EXPECT_EQ(row.median_span_s, 4.0);
    EXPECT_EQ(row.median_span_low_s, 1.0);
    EXPECT_EQ(row.median_span_high_s, 7.0);
    EXPECT_EQ(row.warmup_steps, 14.0);
    const auto steps = results::rows_of<results::PipelineStepRow>(record);
    ASSERT_EQ(steps.size(), 9U);
    EXPECT_EQ(steps[4].schedule, "gpipe");
    EXPECT_EQ(steps[4].utilisation, 0.41);
    EXPECT_EQ(steps[4].span_s, 2.0);
}

TEST(PipelineStudy, VirtualTimeAwayFromTheFormulaIsSeenOnBothSides) {
    EXPECT_TRUE(made_up_record(0.98, 1.04).verification.at(1).passed);
    EXPECT_TRUE(made_up_record(1.04, 0.96).verification.at(1).passed);
    for (const double share : {0.9, 1.1}) {
        const auto check = made_up_record(1.04, share).verification.at(1);
        EXPECT_EQ(check.name, "virtual time is within 5 % of the formula");
        EXPECT_FALSE(check.passed) << share;
        EXPECT_NE(check.detail.find("gpipe with 3 micro-batches"), std::string::npos)
            << check.detail;
    }
}

}  // namespace
}  // namespace shardstone::validation
