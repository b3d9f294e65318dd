// SPDX-License-Identifier: BSD-3-Clause
// The sweep on real ranks: what it reports is consistent, and a wrong algorithm cannot pass.
#include "benchmarks/collectives/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "benchmarks/collectives/sweep/findings.hpp"
#include "benchmarks/collectives/sweep/record.hpp"
#include "benchmarks/collectives/sweep/table.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/unit/benchmarks/harness/quiet_machine.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;
using collectives::Algorithm;
using collectives::RankProgram;
using collectives::Topology;

/// A ring whose first reduction replaces instead: registered like any other, from this file alone.
RankProgram planted_program(const Topology& topology, int rank) {
    RankProgram program = collectives::find_algorithm("all_reduce", "ring").program(topology, rank);
    for (auto& action : program.actions) {
        if (rank == 1 && action.step == 0 && action.kind != collectives::TransferKind::send) {
            action.kind = collectives::TransferKind::receive_replace;
        }
    }
    return program;
}

Algorithm planted() {
    Algorithm algorithm;
    algorithm.name = "planted";
    algorithm.program = planted_program;
    return algorithm;
}

const collectives::AlgorithmRegistration registration("all_reduce", planted());

SweepOptions brief(const std::string& algorithm) {
    SweepOptions options;
    options.algorithms = {algorithm};
    options.largest = "4K";
    options.factor = 32;
    options.iterations = 6;
    options.warmup = 1;
    return options;
}

Sweep run(const SweepOptions& options) {
    SweepPlan plan = plan_sweep(options);
    fit_plan(options, world().topology(), plan);
    return run_sweep(world(), options, plan, {}, std::make_unique<QuietMachine>());
}

results::Record record_of(const Sweep& sweep, const SweepOptions& options) {
    auto record =
        begin_record(options, plan_sweep(options), world(), {}, {"shardstone", "collectives"});
    complete_record(sweep, options, record);
    return record;
}

TEST(Sweep, ReportsWhatItsScheduleSays) {
    const SweepOptions options = brief("ring");
    const Sweep sweep = run(options);
    ASSERT_EQ(sweep.points.size(), 3U);
    EXPECT_TRUE(sweep.passed());
    const SweepPoint& point = sweep.points.back();
    const int size = world().size();
    EXPECT_EQ(point.size_bytes, 4096);
    EXPECT_EQ(point.measurement.samples_s.size(), 6U);
    EXPECT_TRUE(point.passed());
    if (4096 / 64 % size == 0) {
        EXPECT_EQ(point.bytes_sent_per_rank, 4096.0 * 2 * (size - 1) / size);
    }
    // Three products and quotients: a few units of roundoff.
    EXPECT_NEAR(point.busbw_gb_s(),
                4096 / point.measurement.median_s * 1e-9 * 2 * (size - 1) / size,
                1e-15 * point.busbw_gb_s());
    if (world().is_root()) {
        EXPECT_GE(point.predicted_s, 0.0);
    }
}

TEST(Sweep, TheRecordHoldsTheTablesThatTheReportReads) {
    const SweepOptions options = brief("mpi");
    const auto record = record_of(run(options), options);
    EXPECT_TRUE(record.verified());
    EXPECT_EQ(record.table("samples").rows(), 18U);
    const auto& table = record.table("collectives");
    for (const char* name :
         {"ranks", "size_bytes", "time_s", "time_low_s", "time_high_s", "algbw_gb_s", "busbw_gb_s",
          "predicted_s", "bytes_sent_per_rank", "checked"}) {
        EXPECT_EQ(table.column(name).numbers.size(), 3U) << name;
    }
    EXPECT_EQ(table.column("algorithm").texts.front(), "mpi");
    EXPECT_TRUE(std::isnan(table.column("predicted_s").numbers.front()));
}

TEST(Sweep, AWrongAlgorithmIsCaughtAndItsRecordIsNotVerified) {
    const SweepOptions options = brief("planted");
    const Sweep sweep = run(options);
    const auto record = record_of(sweep, options);
    const bool is_wrong = world().size() > 1;  // rank 1 is the culprit
    EXPECT_EQ(sweep.passed(), !is_wrong);
    EXPECT_EQ(record.verified(), !is_wrong);
    const SweepPlan plan = plan_sweep(options);
    const SweepTable table(options, plan.operations.front(), world());
    EXPECT_EQ(table.row(sweep.points.back()).find("WRONG") != std::string::npos, is_wrong);
}

TEST(Sweep, WithoutChecksNothingIsVerified) {
    SweepOptions options = brief("ring");
    options.checks = 0;
    const Sweep sweep = run(options);
    EXPECT_FALSE(record_of(sweep, options).verified());
    EXPECT_FALSE(sweep.points.front().passed());
}

TEST(Sweep, EveryOperationInPlaceAndNotWithUnequalShares) {
    SweepOptions options = brief("all");
    options.operations = {"all"};
    options.smallest = options.largest = "1K";
    options.in_place = "both";
    options.shares = "ramp";
    options.root = world().size() - 1;
    const Sweep sweep = run(options);
    for (const SweepPoint& point : sweep.points) {
        if (point.algorithm == "planted") continue;
        EXPECT_TRUE(point.passed()) << point.operation << " " << point.algorithm << " "
                                    << point.in_place << ": " << point.wrong_elements << " wrong";
    }
    EXPECT_GE(sweep.points.size(), 60U);
}

SweepPoint point_of(const char* algorithm, double measured_s, double predicted_s) {
    SweepPoint point;
    point.operation = "all_reduce";
    point.algorithm = algorithm;
    point.ranks = 2;
    point.size_bytes = 1024;
    point.measurement.median_s = measured_s;
    point.predicted_s = predicted_s;
    return point;
}

TEST(Findings, SayHowFarPredictionsAndChoicesWereOff) {
    const double unknown = std::nan("");
    Sweep sweep;
    sweep.points = {point_of("auto", 1.5e-6, 1e-6), point_of("mpi", 1e-6, unknown),
                    point_of("ring", 2e-6, 1e-6), point_of("swing", 2e-6, 2.2e-6),
                    point_of("shared_memory_direct", 0.1e-6, unknown)};
    const std::string said = findings(sweep);
    EXPECT_NE(said.find("median 1.55, largest 2.00, of 2 quiet points"), std::string::npos) << said;
    EXPECT_NE(said.find("shared_memory_direct takes 0.100 us, mpi 1.00 us: 10 times as long"),
              std::string::npos)
        << said;
    // Of what works on ordinary memory, as the choice does.
    EXPECT_NE(said.find("1 KiB: 1.50 times as long"), std::string::npos) << said;
}

TEST(Sweep, BuffersThatTakeTurnsAreCheckedToo) {
    SweepOptions options = brief("ring");
    options.rotate = "3";
    const Sweep sweep = run(options);
    EXPECT_TRUE(sweep.passed());
    EXPECT_EQ(sweep.points.front().rotated_buffers, 3);
    options.algorithms = {"planted"};
    EXPECT_EQ(run(options).passed(), world().size() == 1);
}

TEST(Sweep, OneRankMovesNothingAndHasNoRate) {
    SweepPoint point;
    point.operation = "all_reduce";
    point.size_bytes = 1 << 20;
    point.measurement.median_s = 1e-3;
    point.ranks = 2;
    EXPECT_DOUBLE_EQ(point.algbw_gb_s(), 1.048576);
    point.ranks = 1;
    EXPECT_TRUE(std::isnan(point.algbw_gb_s()));
    EXPECT_EQ(point.busbw_gb_s(), 0.0);
}

TEST(Sweep, PlansAsManyPointsAsItMeasures) {
    SweepOptions options = brief("ring");
    options.operations = {"all_gather", "all_reduce"};
    for (const char* places : {"auto", "both"}) {
        options.in_place = places;
        const Sweep sweep = run(options);
        EXPECT_EQ(sweep.planned_points, sweep.points.size()) << "--in-place " << places;
    }
}

}  // namespace
}  // namespace shardstone::validation
