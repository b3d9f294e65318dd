// SPDX-License-Identifier: BSD-3-Clause
// Acknowledged messages between two ranks, timed at the sender and compared at the receiver.
#include "benchmarks/interconnect/link_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "collectives/cluster/peer_message.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::PeerMessage;

constexpr std::int64_t ready_id = 0;
constexpr std::int64_t short_bytes = 4096;
constexpr int short_messages = 8;

LinkMessage message_of(const LinkStream& stream, int message) {
    return {stream.sender, stream.receiver, stream.first_step + message};
}

std::span<std::uint64_t> elements_of(std::span<std::byte> bytes) {
    return {reinterpret_cast<std::uint64_t*>(bytes.data()), bytes.size() / sizeof(std::uint64_t)};
}

}  // namespace

int messages_of(std::int64_t size_bytes) {
    return size_bytes <= short_bytes ? short_messages : 1;
}

LinkEnd::LinkEnd(const collectives::Communicator& ranks, const collectives::Communicator& readiness,
                 collectives::DataMemory memory, std::int64_t largest_bytes)
    : readiness_(readiness),
      messages_(collectives::make_pair_messages(
          ranks, memory,
          static_cast<std::size_t>(std::max(largest_bytes, short_messages * short_bytes)))) {}

std::string LinkEnd::waits_for() const {
    return fmt::format("step {}: {}", step_, awaited_);
}

template <class Message>
void LinkEnd::wait(Message& message) {
    collectives::Waiter waiter(this);
    while (!message.progress()) waiter.idle();
}

/// Opens a connection before anything is timed.
void LinkEnd::meet(int peer, std::int64_t step) {
    peer_ = peer;
    step_ = step;
    awaited_ = fmt::format("rank {} to open a connection", peer);
    messages_->connect(peer);
    wait(*messages_);
}

std::span<std::byte> LinkEnd::all_of(const LinkStream& stream) const {
    return messages_->host_view().first(
        static_cast<std::size_t>(stream.size_bytes * stream.messages));
}

std::span<std::byte> LinkEnd::place_of(const LinkStream& stream, int message) const {
    const auto size = static_cast<std::size_t>(stream.size_bytes);
    return all_of(stream).subspan(static_cast<std::size_t>(message) * size, size);
}

bool LinkEnd::has_room(const LinkStream& stream) const {
    return stream.size_bytes % static_cast<std::int64_t>(sizeof(std::uint64_t)) == 0 &&
           stream.size_bytes * stream.messages <= std::ssize(messages_->host_view());
}

std::vector<double> LinkEnd::send(const LinkStream& stream) {
    SHARDSTONE_EXPECTS(has_room(stream));
    for (int message = 0; message < stream.messages; ++message) {
        fill_link_data(elements_of(place_of(stream, message)), message_of(stream, message));
    }
    messages_->load(all_of(stream));
    meet(stream.receiver, stream.first_step);
    std::byte ready{};
    awaited_ =
        fmt::format("rank {} to be ready for {}", stream.receiver, format_size(stream.size_bytes));
    auto start = PeerMessage::receive(readiness_, stream.receiver, ready_id, std::span(&ready, 1));
    wait(start);
    std::vector<double> times_s;
    awaited_ =
        fmt::format("rank {} to acknowledge {}", stream.receiver, format_size(stream.size_bytes));
    for (int message = 0; message < stream.messages; ++message, ++step_) {
        const double begin_s = now_s();
        messages_->send({stream.receiver, place_of(stream, message)});
        wait(*messages_);
        times_s.push_back(now_s() - begin_s);
    }
    return times_s;
}

std::vector<WrongLinkData> LinkEnd::receive(const LinkStream& stream) {
    SHARDSTONE_EXPECTS(has_room(stream));
    meet(stream.sender, stream.first_step);
    awaited_ = fmt::format("{} from rank {}", format_size(stream.size_bytes), stream.sender);
    const std::byte byte{};
    // Before it is ready: what a GPU takes to be given the first message is no part of the sender's
    // time; the later ones it is given while the sender hears of those before.
    messages_->receive({stream.sender, place_of(stream, 0)});
    auto ready = PeerMessage::send(readiness_, stream.sender, ready_id, std::span(&byte, 1));
    for (int message = 0; message < stream.messages; ++message, ++step_) {
        wait(*messages_);
        const bool is_last = message + 1 == stream.messages;
        messages_->answer(stream.sender,
                          is_last ? std::span<std::byte>() : place_of(stream, message + 1));
    }
    --step_;
    awaited_ = fmt::format("rank {} to hear of {}", stream.sender, format_size(stream.size_bytes));
    wait(*messages_);
    wait(ready);
    messages_->unload(all_of(stream));
    std::vector<WrongLinkData> wrong;
    for (int message = 0; message < stream.messages; ++message) {
        const auto found = find_wrong_link_data(elements_of(place_of(stream, message)),
                                                message_of(stream, message));
        if (found) wrong.push_back(*found);
        compared_bytes_ += stream.size_bytes;
    }
    return wrong;
}

std::int64_t LinkEnd::take_compared_bytes() {
    return std::exchange(compared_bytes_, 0);
}

}  // namespace shardstone::benchmarks
