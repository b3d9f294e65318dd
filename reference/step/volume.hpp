// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "collectives/cluster/topology.hpp"
#include "collectives/pricing/traffic.hpp"
#include "reference/step/step_program.hpp"
#include "reference/step/wire_format.hpp"

namespace shardstone::reference {

/// What a rank sends, by what the group is for (the pipeline's are its messages).
using SentBytes = PerGroup<std::int64_t>;
using SentTraffic = PerGroup<collectives::Traffic>;

/// Where the members of a rank's group are; rank r of it is member r of its RankGroup.
using GroupTopology = std::function<collectives::Topology(GroupKind)>;
/// All on one node.
GroupTopology one_node(const ParallelPlan& plan, int rank);
/// Nodes filled with so many ranks each, in rank order.
GroupTopology filled_nodes(const ParallelPlan& plan, int rank, int ranks_per_node);

/// What `rank` sends when it runs the program once, from the schedules of the collectives; 0 for an
/// all-reduce that has none.
SentTraffic scheduled_traffic(const StepSpec& spec, const StepProgram& program, int rank,
                              const WireFormat& format, const GroupTopology& topology);
/// The same without where to.
SentBytes scheduled_bytes(const StepSpec& spec, const StepProgram& program, int rank,
                          const WireFormat& format, const GroupTopology& topology);

}  // namespace shardstone::reference
