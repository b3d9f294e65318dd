// SPDX-License-Identifier: BSD-3-Clause
// Link and reduction costs to choose algorithms by where no cluster was measured or described.
#include "collectives/cluster/description.hpp"

namespace shardstone::collectives {

namespace {

LinkDescription link(double alpha_s, double bandwidth_gb_s, const char* source) {
    LinkDescription described;
    described.alpha_s = alpha_s;
    described.bandwidth_gb_s = bandwidth_gb_s;
    described.source = source;
    return described;
}

ClusterDescription describe() {
    ClusterDescription cluster;
    cluster.name = "typical";
    cluster.source = "typical figures, nothing was measured here: `shardstone calibrate` does";
    cluster.nodes = most_ranks;
    cluster.intra_node = link(1e-6, 8.0, "an MPI library between processes of a node");
    cluster.inter_node = link(2e-6, 12.0, "InfiniBand of 100 Gb/s");
    cluster.shared_memory = link(0.5e-6, 8.0, "a copy in and a copy out by processor cores");
    cluster.reduction.rate_gb_s = 10.0;
    cluster.reduction.source = "a processor core out of cache";
    return cluster;
}

}  // namespace

std::shared_ptr<const ClusterDescription> typical_cluster() {
    static const auto typical = std::make_shared<const ClusterDescription>(describe());
    return typical;
}

}  // namespace shardstone::collectives
