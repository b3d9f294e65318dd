// SPDX-License-Identifier: BSD-3-Clause
// Silence of one rank or pair, told apart from a machine that stood still as a whole.
#include "validation/interconnect/silences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "validation/interconnect/usual_times.hpp"

namespace shardstone::validation {

namespace {

using results::EpisodeRow;
using results::SlowMessageRow;
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

bool is_silent(const SlowMessageRow& row, const UsualTimes& usual) {
    return row.time_s > silence_s + usual.time_s(static_cast<int>(row.sender),
                                                 static_cast<int>(row.receiver),
                                                 static_cast<std::int64_t>(row.size_bytes));
}

bool stood_still(double rank, const SlowMessageRow& row, const InterconnectSamples& samples) {
    return std::ranges::any_of(samples.standstills, [&](const StandstillRow& still) {
        return still.rank == rank && overlap(row.unix_s, row.unix_s + row.time_s, still);
    });
}

using TwoRanks = std::pair<double, double>;

/// The lower rank first.
template <class Row>
TwoRanks pair_of(const Row& row) {
    return std::minmax(row.sender, row.receiver);
}

/// Whether each of several pairs that were tested at the same time was silent.
bool whole_round_is_silent(const SlowMessageRow& one, const InterconnectSamples& samples,
                           const UsualTimes& usual) {
    std::set<TwoRanks> pairs, silent;
    for (const auto& row : samples.pairs) {
        if (row.round == one.round && row.alone == samples.pairs.front().alone) {
            pairs.insert(pair_of(row));
        }
    }
    for (const auto& row : samples.slow) {
        const bool at_once = row.pass == one.pass && row.round == one.round;
        if (at_once && is_silent(row, usual)) silent.insert(pair_of(row));
    }
    return pairs.size() > 1 && silent.size() == pairs.size();
}

EpisodeRow pair_row(const SlowMessageRow& message, const InterconnectSamples& samples,
                    const UsualTimes& usual) {
    EpisodeRow row;
    row.fault = "silent";
    const auto [low, high] = pair_of(message);
    row.subject = fmt::format("{} and {}, between them", name_of_rank(low, samples.places),
                              name_of_rank(high, samples.places));
    row.begin_unix_s = message.unix_s;
    row.end_unix_s = message.unix_s + message.time_s;
    row.size_bytes = message.size_bytes;
    row.passes = row.messages = 1.0;
    row.suspected = whole_round_is_silent(message, samples, usual) ? 0.0 : 1.0;
    return row;
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

std::vector<EpisodeRow> silent_pairs(const InterconnectSamples& samples) {
    const UsualTimes usual(samples.pairs);
    std::vector<EpisodeRow> rows;
    for (const SlowMessageRow& message : samples.slow) {
        if (!is_silent(message, usual)) continue;  // as nearly all, of which there may be a million
        const bool is_rank = stood_still(message.sender, message, samples) ||
                             stood_still(message.receiver, message, samples);
        if (!is_rank) rows.push_back(pair_row(message, samples, usual));
    }
    return rows;
}

}  // namespace shardstone::validation
