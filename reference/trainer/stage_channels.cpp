// SPDX-License-Identifier: BSD-3-Clause
// Pairs of neighbouring stages as communicators of two, made in rounds in which each rank is in
// one.
#include "reference/trainer/stage_channels.hpp"

#include <algorithm>
#include <utility>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

/// Two neighbours in the circle of stages, whose last is followed by the first (interleaved
/// stages).
struct Edge {
    int first = 0, second = 0;
};

/// The edge that a stage is an end of in this round, of which there are two, or three if an odd
/// circle is to be closed.
std::optional<Edge> edge_in(int round, int stage, int stages) {
    for (int first = 0; first < stages; ++first) {
        const int second = (first + 1) % stages;
        const bool closes_odd_circle = second == 0 && stages % 2 == 1;
        const int of_edge = closes_odd_circle ? 2 : first % 2;
        if (of_edge == round && (stage == first || stage == second)) return Edge{first, second};
    }
    return std::nullopt;
}

}  // namespace

StageChannels::StageChannels(const coll::Communicator& job, const ParallelPlan& plan) {
    if (plan.pipeline == 1) return;
    const int rank = job.rank();
    const int stage = coordinates_of(plan, rank).pipeline;
    for (const bool gradient : {false, true}) {
        for (int round = 0; round < 2 + plan.pipeline % 2; ++round) {
            const auto edge = edge_in(round, stage, plan.pipeline);
            // Whoever is in no edge is alone.
            const int color = edge ? rank_of_stage(plan, rank, edge->first) : rank;
            coll::Communicator members = job.split(color);
            if (!edge) continue;
            const bool outgoing = (stage == edge->first) != gradient;
            const int peer =
                rank_of_stage(plan, rank, stage == edge->first ? edge->second : edge->first);
            const int sender = outgoing == (rank < peer) ? 0 : 1;
            channels_.push_back({{peer, gradient, outgoing}, std::move(members), sender});
        }
    }
}

StageChannels::Channel& StageChannels::channel(const Key& key, std::int64_t size_bytes) {
    const auto place = std::ranges::find(channels_, key, &Channel::key);
    SHARDSTONE_EXPECTS(place != channels_.end());
    Channel& found = *place;
    if (!found.broadcast) {
        const coll::CollectiveSpec bytes{{size_bytes, ElementType::fp8_e4m3}, found.sender, {}};
        found.broadcast.emplace(found.members,
                                coll::find_algorithm("broadcast", "over_nccl:linear"), bytes);
        found.size_bytes = size_bytes;
    }
    SHARDSTONE_EXPECTS(found.size_bytes == size_bytes);
    return found;
}

std::int64_t StageChannels::bytes_sent() const {
    std::int64_t total = 0;
    for (const Channel& channel : channels_) {
        if (channel.broadcast) total += channel.broadcast->bytes_sent();
    }
    return total;
}

}  // namespace shardstone::reference
