// SPDX-License-Identifier: BSD-3-Clause
// By how much a prediction may err, from the description of the links that traffic crosses.
#include <gtest/gtest.h>

#include <string>

#include "collectives/cluster/description.hpp"
#include "validation/interconnect/traffic.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using collectives::Topology;

collectives::LinkDescription link_of(double least_gb_s) {
    collectives::LinkDescription link;
    link.alpha_s = 1e-6;
    link.bandwidth_gb_s = 12.0;
    link.bandwidth_interval_gb_s = collectives::Interval95{least_gb_s, 20.0};
    return link;
}

/// Of the first traffic, by links that may be so many times as slow as described.
double uncertainty(const Topology& topology, double inside_nodes, double between_nodes) {
    const auto before = world().cluster();
    collectives::ClusterDescription cluster;
    cluster.nodes = cluster.ranks_per_node = world().size();
    cluster.intra_node = link_of(12.0 / inside_nodes);
    cluster.inter_node = link_of(12.0 / between_nodes);
    world().declare_cluster(cluster);
    world().declare_topology(topology);
    int begun = 0;
    const auto rows = measure_traffic(
        world(), {4096, 0.05}, [&](const std::string&) { ++begun; }, [&] { return begun > 0; });
    world().declare_topology(world().found_topology());
    world().declare_cluster(before);
    if (!world().is_root()) return 0.0;
    EXPECT_FALSE(rows.empty());
    for (const auto& row : rows) EXPECT_EQ(row.uncertainty, rows.front().uncertainty);
    return rows.empty() ? 0.0 : rows.front().uncertainty;
}

TEST(MeasuredTraffic, IsUncertainByTheLinksThatItCrosses) {
    const double inside = uncertainty(Topology::one_node(4), 2.0, 3.0);
    const double between = uncertainty(Topology::blocked(4, 1), 3.0, 2.0);
    const double both = uncertainty(Topology::blocked(4, 2), 3.0, 2.0);
    if (!world().is_root()) return;
    EXPECT_DOUBLE_EQ(inside, 2.0);
    EXPECT_DOUBLE_EQ(between, 2.0);
    EXPECT_DOUBLE_EQ(both, 3.0) << "by the worst of them";
}

}  // namespace
}  // namespace shardstone::validation
