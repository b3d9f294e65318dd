// SPDX-License-Identifier: BSD-3-Clause
// The line above the table of a sweep: what its predictions go by.
#include <gtest/gtest.h>

#include "benchmarks/collectives/sweep/table.hpp"
#include "collectives/cluster/description.hpp"

namespace shardstone::validation {
namespace {

TEST(ClusterLine, SaysOfEveryPathWhatItTakes) {
    collectives::ClusterDescription cluster;
    cluster.source = "made up";
    cluster.nodes = 2;
    cluster.ranks_per_node = 2;
    cluster.intra_node.alpha_s = 1e-6;
    cluster.intra_node.bandwidth_gb_s = 10.0;
    cluster.inter_node.alpha_s = 5e-6;
    cluster.inter_node.bandwidth_gb_s = 2.0;
    cluster.shared_memory.emplace();
    cluster.shared_memory->alpha_s = 2e-7;
    cluster.shared_memory->bandwidth_gb_s = 20.0;
    cluster.reduction.rate_gb_s = 4.0;
    EXPECT_EQ(benchmarks::cluster_line(cluster),
              "# predicted with alpha and bandwidth of messages 1.00 us and 10 GB/s inside a node, "
              "5.00 us and 2 GB/s between nodes, 0.200 us and 20 GB/s through shared memory; "
              "reduction at 4 GB/s; made up\n");
}

}  // namespace
}  // namespace shardstone::validation
