// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/cluster/description.hpp"
#include "collectives/cluster/topology.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// The name of the algorithm that chooses among the others.
constexpr const char* automatic = "auto";

enum class Basis : std::uint8_t {
    schedule,     ///< its schedule, played through with the costs of the links
    measurement,  ///< what it took before at sizes around this one
};

/// What an algorithm is expected to take.
struct Prediction {
    std::string algorithm;
    double time_s = 0.0;
    Basis basis = Basis::schedule;
    /// What it is ranked by: of a measurement the mean with those at the sizes around it, which one
    /// odd point does not sway, as cheap as that is where curves cross; of a schedule time_s.
    double ranked_by_s = time_s;
};

/// By its schedule, where it has one, else by the description's measurements of it on so many
/// ranks; nothing where there is neither.
std::optional<Prediction> predict(const Algorithm& algorithm, const Topology& topology,
                                  const CollectiveSpec& spec, const ClusterDescription& cluster);

/// How many times as long as predicted a schedule may well take (`shardstone calibrate`, then a
/// sweep), so that it must promise more than that to be preferred to what was measured. Where ranks
/// share cores, those that are on no critical path take time from those that are.
double doubt(const ClusterDescription& cluster);

/// Of all algorithms for an operation that can take these data, on these nodes, in ordinary memory,
/// and of which there is a measurement or else a prediction: the fastest first by ranked_by_s, in
/// doubt the one
/// that was measured: doubt() for a schedule, or what the measured ones took of what theirs had
/// promised where that is more. May be empty.
std::vector<Prediction> predictions(const Operation& operation, const Topology& topology,
                                    const CollectiveSpec& spec, const ClusterDescription& cluster);

/// Whether shares of different lengths, or ranks on several nodes, are no obstacle.
bool suits(const Algorithm& algorithm, const Topology& topology, const CollectiveSpec& spec);

/// The choice and its reason, in one line: "shared_memory: 1.1 us measured before; next ring, 2.4
/// us by its schedule".
std::string explain(const std::vector<Prediction>& ranked, const ClusterDescription& cluster);

}  // namespace shardstone::collectives
