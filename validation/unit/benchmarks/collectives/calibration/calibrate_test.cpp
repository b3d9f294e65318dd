// SPDX-License-Identifier: BSD-3-Clause
// A calibration of the ranks at hand: complete, equal to itself through TOML, and followed by auto.
#include "benchmarks/collectives/calibration/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "collectives/pricing/choice.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;
using collectives::ClusterDescription;
using collectives::MeasuredCollective;
using collectives::Topology;

CalibrationOptions brief() {
    CalibrationOptions options;
    options.operations = {"all_reduce"};
    options.largest_bytes = 256;
    options.seconds_per_size = 0.002;
    return options;
}

bool has_schedule(const MeasuredCollective& measured) {
    return collectives::find_algorithm(measured.operation, measured.algorithm).has_schedule();
}

TEST(Calibrate, DescribesOneNodeAndReadsBackEqual) {
    if (world().size() == 1) {
        EXPECT_THROW(calibrate(world(), brief()), Error);
        return;
    }
    const ClusterDescription cluster = calibrate(world(), brief());
    EXPECT_TRUE(cluster.measured);
    EXPECT_EQ(cluster.ranks_per_node, world().size());
    for (const auto& link : {cluster.intra_node, *cluster.shared_memory}) {
        EXPECT_GE(link.measured.points().size(), 4U);
        EXPECT_LE(link.alpha_interval_s->low, link.alpha_interval_s->high);
    }
    for (const char* name : {"mpi", "shared_memory"}) {
        EXPECT_EQ(std::ranges::count(cluster.direct, name, &MeasuredCollective::algorithm), 1);
    }
    EXPECT_TRUE(std::ranges::any_of(cluster.direct, has_schedule));
    EXPECT_EQ(collectives::parse_cluster(collectives::to_toml(cluster), "itself"), cluster);
}

TEST(Calibrate, AnyLargestSizeGivesAscendingSizesForALine) {
    if (world().size() != 2) return;
    for (const std::int64_t largest_bytes : {4, 8, 32, 36, 100}) {
        CalibrationOptions options = brief();
        options.operations.clear();
        options.largest_bytes = largest_bytes;
        const ClusterDescription cluster = calibrate(world(), options);
        EXPECT_GE(cluster.intra_node.measured.points().size(), 2U) << largest_bytes;
        EXPECT_GT(cluster.intra_node.bandwidth_gb_s, 0.0) << largest_bytes;
    }
}

TEST(Calibrate, TwoPretendedNodesHaveALinkBetweenThem) {
    const int size = world().size();
    if (size < 4 || size % 2 != 0) return;
    collectives::Communicator two_nodes = world().split(0);
    two_nodes.declare_topology(Topology::blocked(size, size / 2));
    const ClusterDescription cluster = calibrate(two_nodes, brief());
    EXPECT_EQ(cluster.nodes, 2);
    ASSERT_TRUE(cluster.shared_memory.has_value());
    EXPECT_NE(cluster.shared_memory->source, cluster.intra_node.source);
    EXPECT_NE(cluster.inter_node.source, cluster.intra_node.source);
    EXPECT_EQ(std::ranges::count(cluster.direct, "mpi", &MeasuredCollective::algorithm), 1);
    EXPECT_EQ(std::ranges::count(cluster.direct, "shared_memory", &MeasuredCollective::algorithm),
              0);
}

TEST(Calibrate, NodesOfOneRankHaveNoSharedMemory) {
    if (world().size() != 2) GTEST_SKIP() << "two ranks show it";
    collectives::Communicator apart = world().split(0);
    apart.declare_topology(Topology::blocked(world().size(), 1));
    EXPECT_FALSE(calibrate(apart, brief()).shared_memory.has_value());
}

/// What auto takes for 64 elements when `name` is said to be the fastest by far.
std::string reason_when_fastest(const std::string& name) {
    ClusterDescription cluster = *collectives::typical_cluster();
    cluster.direct.push_back(
        {"all_reduce", name, world().size(), collectives::SizeCurve({{8, 1e-12}, {1024, 1e-12}})});
    collectives::Communicator part = world().split(0);
    part.declare_cluster(cluster);
    SweepOptions options;
    options.algorithms = {"auto"};
    options.smallest = options.largest = "256";
    options.iterations = 6;
    options.warmup = 1;
    const Sweep sweep = run_sweep(part, options, plan_sweep(options), {});
    EXPECT_TRUE(sweep.passed());
    return sweep.points.front().reason;
}

TEST(Auto, TakesWhatTheDescriptionSaysAndIsRight) {
    for (const std::string name : {"mpi", "shared_memory", "ring", "over_shared_memory:ring"}) {
        const std::string reason = reason_when_fastest(name);
        if (world().is_root() && world().size() > 1) {
            EXPECT_EQ(reason.find(name + ": "), 0U) << reason;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
