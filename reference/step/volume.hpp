// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "collectives/cluster/topology.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Bytes that a rank sends, by what the group is for (the pipeline's are its messages).
using SentBytes = std::array<std::int64_t, group_kinds>;

/// Bytes on the wire per parameter or element of the stream: 4 or 8, 16 for exact sums.
struct WireSizes {
    std::int64_t element = 4;  ///< activations and weights
    std::int64_t gradient = 4;

    /// What training in FP32 (element 4) or FP64 (8) sends.
    static WireSizes of(const StepSpec& spec, std::int64_t element_bytes) {
        return {element_bytes, spec.reproducible ? 16 : element_bytes};
    }
};

/// Where the members of a rank's group are; rank r of it is the r-th of group_of().
using GroupTopology = std::function<collectives::Topology(GroupKind)>;
/// All on one node.
GroupTopology one_node(const ParallelPlan& plan, int rank);

/// What `rank` sends when it runs the program once, from the schedules of the collectives; 0 for an
/// all-reduce that has none.
SentBytes scheduled_bytes(const StepSpec& spec, const StepProgram& program, int rank,
                          const WireSizes& sizes, const GroupTopology& topology);

}  // namespace shardstone::reference
