// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/description.hpp"

namespace shardstone::benchmarks {

/// Builds the first `ranks` ranks of a described cluster as the platform of the current SimGrid
/// engine, and sets SimGrid's models to plain alpha, beta and gamma. Host "r" is rank r, with its
/// node as property "node" and the bytes it reduces per second as its speed.
///
/// Links and routes are those of our Fabric: the comparison concerns the progress of messages over
/// them. Each message passes the links of its route, shared by max-min fairness, and an additional
/// unshared one with the route's latency and the bandwidth of a single message.
///
/// The remaining difference: SMPI sends 16 B more with every message (with 16 B more in ours, too,
/// both engines agree in every digit printed).
///
/// Throws Error for a cluster with measured curves, which have no single alpha and beta. A
/// `bandwidth_factor` other than 1 plants an error in every bandwidth.
void build_platform(const collectives::ClusterDescription& cluster, int ranks,
                    double bandwidth_factor);

}  // namespace shardstone::benchmarks
