// SPDX-License-Identifier: BSD-3-Clause
// A sweep that goes on has of its earlier points what these were, wrong ones among them, and none
// of an algorithm that it leaves out.
#include <gtest/gtest.h>

#include "benchmarks/collectives/sweep/record.hpp"
#include "benchmarks/collectives/sweep/resume.hpp"
#include "benchmarks/collectives/sweep/selection.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

/// No two figures of which are alike.
SweepPoint point_with(const std::string& algorithm, bool in_place) {
    SweepPoint point;
    point.operation = "all_reduce";
    point.algorithm = algorithm;
    point.in_place = in_place;
    point.ranks = 3;
    point.size_bytes = 4096;
    point.count = 1024;
    point.measurement.samples_s = {3e-6, 1e-6, 2e-6};
    point.measurement.laps.since_own_start_s = {3.5e-6, 1.5e-6, 2.5e-6};
    point.measurement.warmup_iterations = 7;
    point.measurement.median_s = 2e-6;
    point.measurement.mean_s = 2.5e-6;
    point.measurement.interval_s = Interval{1.5e-6, 2.75e-6};
    point.measurement.median_skew_s = 1e-7;
    point.predicted_s = 4e-6;
    point.measured_before_s = 5e-6;
    point.reason = "ring, as measured";
    point.bytes_sent_per_rank = 8192.0;
    point.most_sent = {6000.0, 2192.0};
    point.rotated_buffers = 5;
    point.checked_runs = 2;
    point.wrong_elements = 32;
    return point;
}

TEST(ResumedPoints, AreThoseThatTheRecordHas) {
    SweepOptions options;
    options.checks = 2;
    for (const bool in_place : {true, false}) {
        const SweepPoint point = point_with("ring", in_place);
        const auto found = points_in(part_of(point, options), options);
        ASSERT_EQ(found.size(), 1U);
        const SweepPoint& again = found.front();
        EXPECT_EQ(name_of(again), name_of(point));
        EXPECT_EQ(again.ranks, 3);
        EXPECT_EQ(again.count, 1024);
        EXPECT_EQ(again.measurement.samples_s, point.measurement.samples_s);
        EXPECT_EQ(again.measurement.warmup_iterations, 7);
        EXPECT_EQ(again.measurement.median_s, 2e-6);
        EXPECT_EQ(again.measurement.mean_s, 2.5e-6);
        ASSERT_TRUE(again.measurement.interval_s);
        EXPECT_EQ(again.measurement.interval_s->low, 1.5e-6);
        EXPECT_EQ(again.measurement.interval_s->high, 2.75e-6);
        EXPECT_EQ(again.measurement.median_skew_s, 1e-7);
        EXPECT_EQ(again.predicted_s, 4e-6);
        EXPECT_EQ(again.measured_before_s, 5e-6);
        EXPECT_EQ(again.reason, "ring, as measured");
        EXPECT_EQ(again.bytes_sent_per_rank, 8192.0);
        EXPECT_EQ(again.most_sent.inside_node_bytes, 6000.0);
        EXPECT_EQ(again.most_sent.between_nodes_bytes, 2192.0);
        EXPECT_EQ(again.rotated_buffers, 5);
        EXPECT_EQ(again.checked_runs, 2);
        EXPECT_EQ(again.wrong_elements, 32) << "what was wrong stays so";
        EXPECT_FALSE(again.passed());
    }
}

TEST(ResumedPoints, AreOfAlgorithmsThatThePlanHas) {
    SweepOptions options;
    options.algorithms = {"ring", "mpi"};
    SweepPlan plan = plan_sweep(options);
    plan.finished = {name_of(point_with("mpi", true)), name_of(point_with("ring", true))};
    EXPECT_NO_THROW(require_planned(plan));
    std::erase_if(plan.operations.front().algorithms,
                  [](const auto& algorithm) { return algorithm.name == "ring"; });
    EXPECT_THROW(require_planned(plan), Error);
}

}  // namespace
}  // namespace shardstone::validation
