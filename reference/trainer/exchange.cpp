// SPDX-License-Identifier: BSD-3-Clause
// One rank's collectives and stage messages in flight, which all progress in any wait.
#include "reference/trainer/exchange.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

}  // namespace

std::size_t Exchange::prepare(GroupKind group, const coll::Algorithm& algorithm,
                              const coll::CollectiveSpec& spec, std::size_t at_once) {
    const auto found = std::ranges::find_if(prepared_, [&](const Prepared& one) {
        return one.group == group && one.operation == algorithm.operation && one.spec == spec;
    });
    const auto which = static_cast<std::size_t>(found - prepared_.begin());
    if (found == prepared_.end()) prepared_.push_back({group, algorithm.operation, spec, {}});
    coll::Communicator* members = groups_->communicator(group);
    auto& copies = prepared_[which].copies;
    if (members != nullptr && members->size() > 1 && copies.size() < at_once) {
        copies.push_back({coll::Collective(*members, algorithm, spec)});
    }
    return which;
}

Exchange::Ticket Exchange::keep(UnderWay one) {
    one.ticket = ++last_ticket_;
    under_way_.push_back(std::move(one));
    begin(under_way_.back());
    return last_ticket_;
}

Exchange::Ticket Exchange::start(std::size_t which, const void* from, void* to, Arrival arrived) {
    SHARDSTONE_EXPECTS(which < prepared_.size());
    Prepared& chosen = prepared_[which];
    if (chosen.copies.empty()) {
        if (arrived) arrived();
        return ++last_ticket_;
    }
    Copy& copy = chosen.copies[chosen.stage_pass++ % chosen.copies.size()];
    UnderWay one;
    one.collective = &copy.collective;
    one.queued = {groups_->communicator(chosen.group), copy.last, from, to};
    one.arrived = std::move(arrived);
    copy.last = keep(std::move(one));
    return copy.last;
}

Exchange::Ticket Exchange::start_once(GroupKind group, const coll::Algorithm& algorithm,
                                      const coll::CollectiveSpec& spec, const void* from, void* to,
                                      Arrival arrived) {
    coll::Communicator* members = groups_->communicator(group);
    SHARDSTONE_EXPECTS(members != nullptr);
    UnderWay one;
    one.group = group;
    one.once = std::make_unique<coll::Collective>(*members, algorithm, spec);
    one.collective = one.once.get();
    one.queued = {members, 0, from, to};
    one.arrived = std::move(arrived);
    return keep(std::move(one));
}

Exchange::Ticket Exchange::send(int to, const StageMessage& message,
                                std::span<const std::byte> data, Arrival arrived) {
    UnderWay one;
    one.message =
        coll::PeerMessage::send(*groups_->communicator(GroupKind::pipeline), to, message.id, data);
    one.arrived = std::move(arrived);
    message_bytes_ += std::ssize(data);
    return keep(std::move(one));
}

Exchange::Ticket Exchange::receive(int from, const StageMessage& message, std::span<std::byte> data,
                                   Arrival arrived) {
    UnderWay one;
    one.message = coll::PeerMessage::receive(*groups_->communicator(GroupKind::pipeline), from,
                                             message.id, data);
    one.arrived = std::move(arrived);
    return keep(std::move(one));
}

const Exchange::UnderWay* Exchange::find(Ticket ticket) const {
    const auto found = std::ranges::find(under_way_, ticket, &UnderWay::ticket);
    return found == under_way_.end() ? nullptr : &*found;
}

bool Exchange::may_begin(const UnderWay& one) const {
    const auto is_ahead = [&](const UnderWay& other) {
        return other.queued && other.queued->members == one.queued->members &&
               other.ticket < one.ticket;
    };
    return !under_way(one.queued->before) && std::ranges::none_of(under_way_, is_ahead);
}

bool Exchange::begin(UnderWay& one) {
    if (!one.queued) return true;
    if (!may_begin(one)) return false;
    one.collective->start(one.queued->from, one.queued->to);
    one.queued.reset();
    return true;
}

void Exchange::progress() {
    if (look_) look_();
    const double begin_s = watch_ != nullptr ? now_s() : 0.0;
    bool moved = false;
    for (std::size_t i = 0; i < under_way_.size();) {
        if (!begin(under_way_[i]) || !under_way_[i].progress()) {
            moved = moved || under_way_[i].has_moved();
            ++i;
            continue;
        }
        moved = true;
        arrive(i);
    }
    if (watch_ != nullptr) watch_->looked(begin_s, moved);
}

void Exchange::arrive(std::size_t place) {
    const UnderWay one = std::move(under_way_[place]);
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(place));
    if (one.once) once_bytes_[one.group] += one.once->bytes_sent();
    if (one.arrived) one.arrived();
}

void Exchange::wait(Ticket ticket) {
    for (coll::Waiter waiter(this); under_way(ticket); waiter.idle()) progress();
}

void Exchange::wait_for_all() {
    for (coll::Waiter waiter(this); !under_way_.empty(); waiter.idle()) progress();
}

std::string Exchange::waits_for() const {
    std::string all;
    for (const UnderWay& one : under_way_) {
        if (one.queued) continue;
        all += all.empty() ? "" : "; ";
        all += one.collective != nullptr ? one.collective->waits_for() : "a message of a stage";
    }
    return all;
}

std::int64_t Exchange::bytes_sent(GroupKind group) const {
    if (group == GroupKind::pipeline) return message_bytes_;
    std::int64_t total = once_bytes_[group];
    for (const Prepared& one : prepared_) {
        if (one.group != group) continue;
        for (const Copy& copy : one.copies) total += copy.collective.bytes_sent();
    }
    return total;
}

}  // namespace shardstone::reference
