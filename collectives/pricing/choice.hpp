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

/// Name of the algorithm that chooses among the others.
constexpr const char* automatic = "auto";

enum class Basis : std::uint8_t {
    schedule,     ///< simulation of its schedule with the costs of the links
    measurement,  ///< earlier measurements at sizes around this one
};

/// Expected time of an algorithm.
struct Prediction {
    std::string algorithm;
    double time_s = 0.0;
    Basis basis = Basis::schedule;
    /// Time used for ranking: for a measurement the mean with those at neighbouring sizes, which a
    /// single odd point does not sway and which costs little where curves cross; for a schedule
    /// time_s.
    double ranked_by_s = time_s;
};

/// Based on its schedule, if it has one, otherwise on the description's measurements on the same
/// number of ranks; nothing if there is neither, or it passes its messages between GPUs in another
/// way than those of the description.
std::optional<Prediction> predict(const Algorithm& algorithm, const Topology& topology,
                                  const CollectiveSpec& spec, const ClusterDescription& cluster);

/// Factor by which a schedule may well exceed its prediction (`shardstone calibrate`, then a
/// sweep): it must promise more than that to be preferred to a measured algorithm. Where ranks
/// share cores, those off the critical path take time from those on it.
double doubt(const ClusterDescription& cluster);

/// All algorithms for an operation that can handle these data on these nodes in ordinary memory and
/// have a measurement or else a prediction, the fastest first by ranked_by_s; in doubt a measured
/// one comes first. The doubt of a schedule is doubt(), or, if larger, the factor by which the
/// measured ones exceeded their predictions. May be empty.
std::vector<Prediction> predictions(const Operation& operation, const Topology& topology,
                                    const CollectiveSpec& spec, const ClusterDescription& cluster);

/// Whether the algorithm can handle the lengths of the shares and the number of nodes.
bool suits(const Algorithm& algorithm, const Topology& topology, const CollectiveSpec& spec);

/// The choice and its reason, in one line: "shared_memory: 1.1 us measured before; next ring, 2.4
/// us by its schedule".
std::string explain(const std::vector<Prediction>& ranked, const ClusterDescription& cluster);

}  // namespace shardstone::collectives
