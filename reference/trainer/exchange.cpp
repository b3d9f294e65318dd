// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/exchange.hpp"

#include <algorithm>
#include <utility>

#include "collectives/cluster/waiting.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

bool same(const coll::CollectiveSpec& a, const coll::CollectiveSpec& b) {
    return a.vector.count == b.vector.count && a.vector.type == b.vector.type &&
           a.vector.reduction == b.vector.reduction && a.shares == b.shares;
}

}  // namespace

std::size_t Exchange::prepare(GroupKind group, std::string_view operation,
                              std::string_view algorithm, const coll::CollectiveSpec& spec) {
    const auto found = std::ranges::find_if(prepared_, [&](const Prepared& one) {
        return one.group == group && one.operation == operation && same(one.spec, spec);
    });
    if (found != prepared_.end()) return static_cast<std::size_t>(found - prepared_.begin());
    Prepared made{group, operation, spec, std::nullopt};
    coll::Communicator* members = groups_->communicator(group);
    if (members != nullptr && members->size() > 1) {
        made.collective.emplace(*members, operation, algorithm, spec);
    }
    prepared_.push_back(std::move(made));
    return prepared_.size() - 1;
}

Exchange::Ticket Exchange::keep(UnderWay one) {
    one.ticket = ++last_ticket_;
    under_way_.push_back(std::move(one));
    return last_ticket_;
}

Exchange::Ticket Exchange::start(std::size_t prepared, void* buffer, Arrival arrived) {
    Prepared& chosen = prepared_[prepared];
    if (!chosen.collective) {
        if (arrived) arrived();
        return ++last_ticket_;
    }
    wait(chosen.last);
    chosen.collective->start(buffer, buffer);
    UnderWay one;
    one.collective = &*chosen.collective;
    one.arrived = std::move(arrived);
    chosen.last = keep(std::move(one));
    return chosen.last;
}

Exchange::Ticket Exchange::send(int to, std::int64_t id, std::span<const std::byte> data,
                                Arrival arrived) {
    UnderWay one;
    one.message =
        coll::PeerMessage::send(*groups_->communicator(GroupKind::pipeline), to, id, data);
    one.arrived = std::move(arrived);
    message_bytes_ += std::ssize(data);
    return keep(std::move(one));
}

Exchange::Ticket Exchange::receive(int from, std::int64_t id, std::span<std::byte> data,
                                   Arrival arrived) {
    UnderWay one;
    one.message =
        coll::PeerMessage::receive(*groups_->communicator(GroupKind::pipeline), from, id, data);
    one.arrived = std::move(arrived);
    return keep(std::move(one));
}

const Exchange::UnderWay* Exchange::find(Ticket ticket) const {
    const auto found = std::ranges::find(under_way_, ticket, &UnderWay::ticket);
    return found == under_way_.end() ? nullptr : &*found;
}

void Exchange::progress() {
    for (std::size_t i = 0; i < under_way_.size();) {
        if (!under_way_[i].progress()) {
            ++i;
            continue;
        }
        const Arrival arrived = std::move(under_way_[i].arrived);
        under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
        if (arrived) arrived();
    }
}

void Exchange::wait(Ticket ticket) {
    for (coll::Waiter waiter; under_way(ticket); waiter.idle()) progress();
}

void Exchange::wait_for_all() {
    for (coll::Waiter waiter; !under_way_.empty(); waiter.idle()) progress();
}

std::int64_t Exchange::bytes_sent(GroupKind group) const {
    if (group == GroupKind::pipeline) return message_bytes_;
    std::int64_t total = 0;
    for (const Prepared& one : prepared_) {
        if (one.group == group && one.collective) total += one.collective->bytes_sent();
    }
    return total;
}

}  // namespace shardstone::reference
