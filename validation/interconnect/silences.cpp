// SPDX-License-Identifier: BSD-3-Clause
// Silence of one rank, told apart from a machine that stood still as a whole.
#include "validation/interconnect/silences.hpp"

#include <algorithm>
#include <set>

namespace shardstone::validation {

namespace {

using results::EpisodeRow;
using results::StandstillRow;

bool overlap(double begin_s, double end_s, const StandstillRow& still) {
    return begin_s < still.end_unix_s && still.begin_unix_s < end_s;
}

/// Whether ranks on every node stood still then.
bool all_nodes_stood_still(const StandstillRow& one, const InterconnectSamples& samples) {
    std::set<double> nodes, still_nodes;
    for (const auto& place : samples.places) nodes.insert(place.node);
    for (const auto& other : samples.standstills) {
        if (!overlap(one.begin_unix_s, one.end_unix_s, other)) continue;
        still_nodes.insert(samples.places[static_cast<std::size_t>(other.rank)].node);
    }
    return nodes.size() > 1 && still_nodes.size() == nodes.size();
}

}  // namespace

EpisodeRow episode_of_rank(double rank, const std::vector<results::RankPlaceRow>& places) {
    EpisodeRow row;
    const auto& place = places[static_cast<std::size_t>(rank)];
    row.subject = name_of_rank(rank, places);
    row.node = place.node;
    row.host = place.host;
    row.suspected = 1.0;
    return row;
}

std::vector<EpisodeRow> silent_ranks(const InterconnectSamples& samples) {
    std::vector<EpisodeRow> rows;
    for (const StandstillRow& still : samples.standstills) {
        EpisodeRow row = episode_of_rank(still.rank, samples.places);
        row.fault = "silent";
        row.begin_unix_s = still.begin_unix_s;
        row.end_unix_s = still.end_unix_s;
        row.passes = 1.0;
        const bool from_below = 2.0 * still.stolen_s >= still.still_s;
        if (from_below || all_nodes_stood_still(still, samples)) row.suspected = 0.0;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace shardstone::validation
