// SPDX-License-Identifier: BSD-3-Clause
// What all routes of messages between GPUs have in common: copies out, requests, and what waits.
#include "collectives/executors/gpu/message_route_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "kernels/base/units.hpp"

namespace shardstone::collectives {

MessageRoute::MessageRoute(const Communicator& communicator, const TransferPlan& plan,
                           const Workspace& workspace, Envelopes envelopes, std::size_t requests)
    : plan_(plan),
      workspace_(workspace),
      comm_(communicator.native().comm),
      envelopes_(std::move(envelopes)),
      stages_(plan.messages.size()),
      traffic_(plan.channels.size()),
      copied_(static_cast<std::size_t>(plan.requests)),
      requests_(copied_.size() * requests, MPI_REQUEST_NULL),
      owners_(requests_.size()),
      finished_(requests_.size()) {}

void MessageRoute::expect(std::size_t m) {
    stages_[m] = Stage::waiting;
    start_receive(m);
}

void MessageRoute::offer(std::size_t m) {
    stages_[m] = Stage::waiting;
    Traffic& traffic = traffic_[envelope(m).channel];
    ++traffic.unread;
    ++traffic.sending;
    start_send(m);
}

void MessageRoute::start_copy(std::size_t m, std::byte* to) {
    stages_[m] = Stage::copying;
    copying_.push_back(m);
    if (!is_copied(m)) return;
    for (const Transfer& piece : transfers_of(plan_, m)) {
        outgoing_.copy(to, data_of(piece), piece.size_bytes);
        to += piece.size_bytes;
    }
    copied_[envelope(m).request].record(outgoing_stream_.get());
}

bool MessageRoute::is_ready(std::size_t m) const {
    return !is_copied(m) || copied_[envelope(m).request].reached();
}

bool MessageRoute::advance() {
    bool moved = false;
    for (; !copying_.empty() && is_ready(copying_.front()); copying_.pop_front()) {
        send(copying_.front());
        moved = true;
    }
    return look() || moved;
}

void MessageRoute::send(std::size_t m) {
    stages_[m] = Stage::leaving;
    if (is_copied(m)) --traffic_[envelope(m).channel].unread;
    bytes_sent_ += envelope(m).size_bytes;
    leave(m);
}

void MessageRoute::end_send(std::size_t m) {
    stages_[m] = Stage::through;
    Traffic& traffic = traffic_[envelope(m).channel];
    if (!is_copied(m)) --traffic.unread;
    --traffic.sending;
}

void MessageRoute::post_send(std::size_t m, const void* data, std::size_t size_bytes, int tag,
                             std::size_t request) {
    owners_[request] = m;
    SHARDSTONE_MPI(MPI_Isend(data, static_cast<int>(size_bytes), MPI_BYTE, envelope(m).peer, tag,
                             comm_, &requests_[request]));
}

void MessageRoute::post_receive(std::size_t m, void* data, std::size_t size_bytes, int tag,
                                std::size_t request) {
    owners_[request] = m;
    SHARDSTONE_MPI(MPI_Irecv(data, static_cast<int>(size_bytes), MPI_BYTE, envelope(m).peer, tag,
                             comm_, &requests_[request]));
}

bool MessageRoute::look() {
    int finished = 0;
    SHARDSTONE_MPI(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &finished,
                                finished_.data(), MPI_STATUSES_IGNORE));
    finished = std::max(finished, 0);  // MPI_UNDEFINED: none is under way
    for (const int index : std::span(finished_).first(static_cast<std::size_t>(finished))) {
        const auto request = static_cast<std::size_t>(index);
        complete(request, owners_[request]);
    }
    return finished > 0;
}

std::string MessageRoute::pending(int begin, int end) const {
    std::string all;
    for (auto m = static_cast<std::size_t>(begin); m < static_cast<std::size_t>(end); ++m) {
        if (stages_[m] == Stage::through) continue;
        const Envelope& message = envelope(m);
        const char* state = "";
        if (stages_[m] == Stage::copying) state = " (being copied)";
        if (stages_[m] == Stage::waiting && message.sends)
            state = " (which has not permitted it yet)";
        all += fmt::format("{}{} {} rank {}{}", all.empty() ? "" : ", ",
                           format_size(message.size_bytes), message.sends ? "to" : "from",
                           message.peer, state);
    }
    return all;
}

std::unique_ptr<MessageRoute> make_route(MessagePlace place, const Communicator& communicator,
                                         int channels, const TransferPlan& plan,
                                         const Workspace& workspace) {
    switch (place) {
        case MessagePlace::pinned:
            return pinned_route(communicator, channels, plan, workspace);
        case MessagePlace::device:
            return device_route(communicator, channels, plan, workspace);
        case MessagePlace::peer:
            break;
    }
    return peer_route(communicator, channels, plan, workspace);
}

}  // namespace shardstone::collectives
