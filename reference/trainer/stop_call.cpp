// SPDX-License-Identifier: BSD-3-Clause
// Words between rank 0 and the others on whether a task goes on after a signal.
#include "reference/trainer/stop_call.hpp"

#include <span>
#include <utility>

#include "collectives/cluster/waiting.hpp"
#include "kernels/base/interrupt.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

constexpr std::int64_t id = 0;

/// The ranks that this one exchanges words with.
std::pair<int, int> peers_of(const coll::Communicator& world) {
    return world.is_root() ? std::pair(1, world.size()) : std::pair(0, 1);
}

}  // namespace

StopCall::StopCall(const coll::Communicator& world)
    : own_(world.split(0)), words_(static_cast<std::size_t>(world.size())) {}

StopCall::~StopCall() {
    for (Coming& one : coming_) one.message.give_up();
}

void StopCall::begin() {
    stops_ = has_spoken_ = false;
    const auto [first, end] = peers_of(own_);
    for (int peer = first; peer < end; ++peer) {
        const std::span word(&words_[static_cast<std::size_t>(peer)], 1);
        coming_.push_back({peer, coll::PeerMessage::receive(own_, peer, id, word)});
    }
}

void StopCall::listen() {
    std::erase_if(coming_, [this](Coming& one) {
        if (!one.message.progress()) return false;
        stops_ = stops_ || words_[static_cast<std::size_t>(one.from)] == stop;
        return true;
    });
}

/// Once for each task.
void StopCall::speak() {
    if (std::exchange(has_spoken_, true)) return;
    word_ = stops_ ? stop : whole;
    const auto [first, end] = peers_of(own_);
    for (int peer = first; peer < end; ++peer) {
        going_.push_back(coll::PeerMessage::send(own_, peer, id, std::span(&word_, 1)));
    }
}

bool StopCall::heard() {
    listen();
    stops_ = stops_ || interrupted();
    if (stops_) speak();
    return stops_;
}

bool StopCall::end() {
    if (!own_.is_root()) speak();
    for (coll::Waiter waiter; !coming_.empty(); waiter.idle()) listen();
    speak();
    for (coll::PeerMessage& message : going_) {
        for (coll::Waiter waiter; !message.progress(); waiter.idle()) {
        }
    }
    going_.clear();
    return stops_;
}

}  // namespace shardstone::reference
