// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/planned_messages.hpp"

#include <algorithm>
#include <cstring>

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
      finished_(requests_.size()) {}

void PlannedMessages::post(std::size_t c, int step, std::size_t m) {
    const auto begin = static_cast<std::size_t>(plan_.steps[static_cast<std::size_t>(step)].begin);
    const auto slot = static_cast<std::size_t>(plan_.channels[c].first_request) + m - begin;
    owners_[slot] = {c, m};
    const Message& message = plan_.messages[m];
    const auto size = static_cast<int>(message.size_bytes);
    const Transfer& first = transfers_of(m).front();
    const int tag = first_tag_ + first.channel;
    ++under_way_;
    if (first.kind != ActionKind::send) {
        SHARDSTONE_MPI(
            MPI_Irecv(place_of(m), size, MPI_BYTE, first.peer, tag, comm_, &requests_[slot]));
        return;
    }
    if (message.staged) stage(m);
    SHARDSTONE_MPI(
        MPI_Isend(place_of(m), size, MPI_BYTE, first.peer, tag, comm_, &requests_[slot]));
    bytes_sent_ += message.size_bytes;
}

std::span<const int> PlannedMessages::finished_requests() {
    int finished = 0;
    SHARDSTONE_MPI(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &finished,
                                finished_.data(), MPI_STATUSES_IGNORE));
    finished = std::max(finished, 0);  // MPI_UNDEFINED: none is under way
    under_way_ -= finished;
    return std::span(finished_).first(static_cast<std::size_t>(finished));
}

std::byte* PlannedMessages::place_of(std::size_t m) {
    const Transfer& first = transfers_of(m).front();
    return plan_.messages[m].staged ? staged(first)
                                    : workspace_.at(first.region, first.offset_bytes);
}

void PlannedMessages::stage(std::size_t m) {
    for (const Transfer& piece : transfers_of(m)) {
        std::memcpy(staged(piece), workspace_.at(piece.region, piece.offset_bytes),
                    static_cast<std::size_t>(piece.size_bytes));
    }
}

}  // namespace shardstone::collectives
