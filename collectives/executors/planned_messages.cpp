// SPDX-License-Identifier: BSD-3-Clause
// MPI requests of a plan's messages, posted from and to their places or the staging memory.
#include "collectives/executors/planned_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/base/units.hpp"

namespace shardstone::collectives {

PlannedMessages::PlannedMessages(const Communicator& communicator, std::size_t channels,
                                 const TransferPlan& plan, const Workspace& workspace)
    : plan_(plan),
      workspace_(workspace),
      comm_(communicator.native().comm),
      first_tag_(communicator.native().take_tags(static_cast<int>(channels))),
      staging_(std::make_unique_for_overwrite<std::byte[]>(
          static_cast<std::size_t>(plan.staging_bytes))),
      requests_(static_cast<std::size_t>(plan.requests), MPI_REQUEST_NULL),
      owners_(requests_.size()),
      finished_(requests_.size()) {
    envelopes_.resize(plan.messages.size());
    for (std::size_t c = 0; c < plan.channels.size(); ++c) {
        const TransferPlan::Channel& channel = plan.channels[c];
        for (int step = channel.begin; step < channel.end; ++step) {
            const auto [begin, end] = plan.steps[static_cast<std::size_t>(step)];
            for (int m = begin; m < end; ++m) {
                const auto message = static_cast<std::size_t>(m);
                envelopes_[message] = envelope_of(
                    message, c, static_cast<std::size_t>(channel.first_request + m - begin));
            }
        }
    }
}

PlannedMessages::Envelope PlannedMessages::envelope_of(std::size_t m, std::size_t channel,
                                                       std::size_t request) {
    const auto transfers = transfers_of(m);
    const Transfer& first = transfers.front();
    Envelope envelope;
    envelope.channel = channel;
    envelope.request = request;
    envelope.staging = plan_.messages[m].staged ? staged(first) : nullptr;
    envelope.region = first.region;
    envelope.sends = first.kind == TransferKind::send;
    envelope.after_sends = std::ranges::any_of(transfers, &Transfer::after_sends);
    envelope.offset_bytes = first.offset_bytes;
    envelope.peer = first.peer;
    envelope.tag = first_tag_ + first.channel;
    envelope.size_bytes = static_cast<int>(plan_.messages[m].size_bytes);
    return envelope;
}

void PlannedMessages::post(std::size_t m) {
    const Envelope& envelope = envelopes_[m];
    MPI_Request& request = requests_[envelope.request];
    owners_[envelope.request] = m;
    ++under_way_;
    if (!envelope.sends) {
        SHARDSTONE_MPI(MPI_Irecv(place_of(envelope), envelope.size_bytes, MPI_BYTE, envelope.peer,
                                 envelope.tag, comm_, &request));
        return;
    }
    if (envelope.staging != nullptr) stage(m);
    SHARDSTONE_MPI(MPI_Isend(place_of(envelope), envelope.size_bytes, MPI_BYTE, envelope.peer,
                             envelope.tag, comm_, &request));
    bytes_sent_ += envelope.size_bytes;
}

std::string PlannedMessages::pending(std::size_t begin, std::size_t end) const {
    std::string all;
    for (std::size_t m = begin; m < end; ++m) {
        const Envelope& envelope = envelopes_[m];
        const bool under_way =
            requests_[envelope.request] != MPI_REQUEST_NULL && owners_[envelope.request] == m;
        if (!under_way) continue;
        all += fmt::format("{}{} {} rank {}", all.empty() ? "" : ", ",
                           format_size(envelope.size_bytes), envelope.sends ? "to" : "from",
                           envelope.peer);
    }
    return all;
}

void PlannedMessages::stage(std::size_t m) {
    for (const Transfer& piece : transfers_of(m)) {
        std::memcpy(staged(piece), workspace_.at(piece.region, piece.offset_bytes),
                    static_cast<std::size_t>(piece.size_bytes));
    }
}

}  // namespace shardstone::collectives
