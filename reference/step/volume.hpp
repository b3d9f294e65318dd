// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "collectives/cluster/topology.hpp"
#include "collectives/pricing/traffic.hpp"
#include "reference/step/step_program.hpp"
#include "reference/step/wire_format.hpp"

namespace shardstone::reference {

/// Bytes sent by a rank, by kind of group (for the pipeline, its messages).
using SentBytes = PerGroup<std::int64_t>;
using SentTraffic = PerGroup<collectives::Traffic>;

/// Topology of a rank's group; its rank r is member r of the RankGroup.
using GroupTopology = std::function<collectives::Topology(GroupKind)>;
/// All on one node.
GroupTopology one_node(const ParallelPlan& plan, int rank);

/// Bytes sent by `rank` in one run of the program, from the schedules of the collectives; 0 for an
/// all-reduce without one.
SentTraffic scheduled_traffic(const StepSpec& spec, const StepProgram& program, int rank,
                              const WireFormat& format, const GroupTopology& topology);
/// The same without regard to destinations.
SentBytes scheduled_bytes(const StepSpec& spec, const StepProgram& program, int rank,
                          const WireFormat& format, const GroupTopology& topology);

}  // namespace shardstone::reference
