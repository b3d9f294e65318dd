// SPDX-License-Identifier: BSD-3-Clause
// One rank's collectives in the streams of its GPU, ordered against its computations by events.
#include "reference/trainer/device_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/base/whereabouts.hpp"
#include "reference/trainer/graph_patience.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

/// The same schedule with its messages between GPUs.
coll::Algorithm between_gpus(const coll::Algorithm& algorithm) {
    SHARDSTONE_EXPECTS(algorithm.has_plain_messages() || algorithm.in_stream);
    if (algorithm.in_stream) return algorithm;
    return coll::find_algorithm(algorithm.operation->name, "over_nccl:" + algorithm.name);
}

/// An Error of `act` has what it was about before it.
template <class What, class Act>
void naming(const What& what, const Act& act) {
    try {
        act();
    } catch (const AgreedError&) {
        throw;
    } catch (const Error& error) {
        fail(fmt::format("{}: {}", what(), error.what()), error.code());
    }
}

/// One of so many collectives in a graph, which does not tell how far it is.
std::string one_of(std::ptrdiff_t collectives, const std::string& first) {
    if (collectives == 1) return first + " on the GPU";
    return fmt::format("one of {} on the GPU, the first of them {}",
                       counted(collectives, "collective"), first);
}

}  // namespace

DeviceExchange::DeviceExchange(std::shared_ptr<PlanGroups> groups, const ParallelPlan& plan,
                               CudaQueue computations)
    : groups_(std::move(groups)), computations_(computations) {
    coll::Communicator* const job = groups_->communicator(GroupKind::pipeline);
    if (job == nullptr) return;
    // Now, while no rank waits for a message: a rank that makes its end waits for the other one.
    stages_.emplace(*job, plan);
    for (auto& channel : stages_->all()) order_of(channel.members);
}

coll::StreamOrder& DeviceExchange::order_of(coll::Communicator& members) {
    auto& order = orders_[&members];
    if (order == nullptr) order = coll::make_stream_order(members, computations_.stream());
    return *order;
}

std::size_t DeviceExchange::prepare(GroupKind group, const coll::Algorithm& algorithm,
                                    const coll::CollectiveSpec& spec, std::size_t) {
    const auto found = std::ranges::find_if(prepared_, [&](const Prepared& one) {
        return one.group == group && one.operation == algorithm.operation && one.spec == spec;
    });
    const auto which = static_cast<std::size_t>(found - prepared_.begin());
    if (found != prepared_.end()) return which;
    prepared_.push_back({group, algorithm.operation, spec, {}});
    coll::Communicator* const members = groups_->communicator(group);
    if (members != nullptr && members->size() > 1) {
        order_of(*members);
        prepared_.back().collective.emplace(*members, between_gpus(algorithm), spec);
    }
    return which;
}

std::string DeviceExchange::Enqueued::text() const {
    return fmt::format("{} of {} in group {}", operation->name, format_size(bytes),
                       to_string(group));
}

DeviceExchange::Ticket DeviceExchange::enqueue(coll::Communicator& members,
                                               coll::Collective& collective, const Start& start,
                                               Arrival arrived) {
    coll::StreamOrder& order = order_of(members);
    Enqueued one{start.group, start.operation, start.bytes, &order, nullptr};
    naming([&] { return one.text(); },
           [&] {
               order.collectives_wait();
               collective.start(start.from, start.to);
               one.end = order.mark();
           });
    under_way_[++last_ticket_] = {&order, one.end, std::move(arrived)};
    enqueued_.push_back(std::move(one));
    return last_ticket_;
}

DeviceExchange::Ticket DeviceExchange::start(std::size_t which, const void* from, void* to,
                                             Arrival arrived) {
    SHARDSTONE_EXPECTS(which < prepared_.size());
    Prepared& chosen = prepared_[which];
    if (!chosen.collective) {
        if (arrived) arrived();
        return ++last_ticket_;
    }
    return enqueue(*groups_->communicator(chosen.group), *chosen.collective,
                   {chosen.group, chosen.operation, chosen.spec.vector.size_bytes(), from, to},
                   std::move(arrived));
}

DeviceExchange::Ticket DeviceExchange::start_once(GroupKind group, const coll::Algorithm& algorithm,
                                                  const coll::CollectiveSpec& spec,
                                                  const void* from, void* to, Arrival arrived) {
    coll::Communicator* const members = groups_->communicator(group);
    SHARDSTONE_EXPECTS(members != nullptr);
    auto& once = *once_.emplace_back(
        std::make_unique<coll::Collective>(*members, between_gpus(algorithm), spec));
    const Ticket ticket =
        enqueue(*members, once, {group, algorithm.operation, spec.vector.size_bytes(), from, to},
                std::move(arrived));
    once_bytes_[group] += once.bytes_sent();
    return ticket;
}

DeviceExchange::Ticket DeviceExchange::pass(int peer, bool gradient, bool outgoing,
                                            std::span<std::byte> data, Arrival arrived) {
    auto& channel = stages_->channel({peer, gradient, outgoing}, std::ssize(data));
    return enqueue(channel.members, *channel.broadcast,
                   {GroupKind::pipeline, &coll::find_operation("broadcast"), std::ssize(data),
                    data.data(), data.data()},
                   std::move(arrived));
}

DeviceExchange::Ticket DeviceExchange::send(int to, const StageMessage& message,
                                            std::span<std::byte> data, Arrival arrived) {
    return pass(to, message.gradient, true, data, std::move(arrived));
}

DeviceExchange::Ticket DeviceExchange::receive(int from, const StageMessage& message,
                                               std::span<std::byte> data, Arrival arrived) {
    return pass(from, message.gradient, false, data, std::move(arrived));
}

std::string DeviceExchange::waits_for() const {
    if (enqueued_.empty()) return "";
    const std::string first = enqueued_.front().text();
    return is_noting_ ? one_of(std::ssize(enqueued_), first) : first + " on the GPU";
}

/// That runs or waits to run in this order's stream.
std::string DeviceExchange::first_in(const coll::StreamOrder& order,
                                     const coll::Communicator& members) const {
    const auto runs = [&](const Enqueued& one) {
        return one.order == &order && (is_noting_ || !one.has_ended());
    };
    const auto first = std::ranges::find_if(enqueued_, runs);
    if (first != enqueued_.end()) {
        return is_noting_ ? one_of(std::ranges::count_if(enqueued_, runs), first->text())
                          : first->text();
    }
    const auto is_of = [&](GroupKind kind) { return groups_->communicator(kind) == &members; };
    const auto kind = std::ranges::find_if(group_kinds(), is_of);
    return fmt::format("no collective under way in group {}",
                       to_string(kind == group_kinds().end() ? GroupKind::pipeline : *kind));
}

void DeviceExchange::progress() const {
    for (const auto& [members, order] : orders_) {
        naming([&] { return first_in(*order, *members); }, [&] { order->check(); });
    }
}

void DeviceExchange::wait(Ticket ticket) {
    auto found = under_way_.extract(ticket);
    if (found.empty()) return;
    UnderWay& one = found.mapped();
    one.order->computations_wait(one.end);
    if (one.arrived) one.arrived();
}

void DeviceExchange::join_computations() {
    while (!under_way_.empty()) wait(under_way_.begin()->first);
}

void DeviceExchange::begin_noting() {
    SHARDSTONE_EXPECTS(enqueued_.empty());
    is_noting_ = true;
}

void DeviceExchange::end_noting() {
    join_computations();
}

void DeviceExchange::wait_for_graph(const std::function<bool()>& has_run, double longest_step_s) {
    constexpr double between_moves_s = 0.2;  // within the shortest limit
    GraphPatience patience(longest_step_s);
    coll::Waiter waiter(this);
    double looked_s = now_s();
    while (!has_run()) {
        try {
            progress();
        } catch (const Error&) {
            has_run();  // throws a fault of the GPU itself, which makes calls of NCCL fail, too
            throw;
        }
        waiter.idle();
        const double since_s = now_s() - looked_s;
        if (since_s < between_moves_s) continue;
        looked_s += since_s;
        if (patience.moves(since_s)) whereabouts().moved();
    }
    enqueued_.clear();
    is_noting_ = false;
}

void DeviceExchange::wait_for_all() {
    join_computations();
    coll::Waiter waiter(this);
    const auto has_ended = [](const Enqueued& one) { return one.has_ended(); };
    while (!enqueued_.empty()) {
        if (std::erase_if(enqueued_, has_ended) > 0) {
            waiter.busy();
        } else {
            progress();
            waiter.idle();
        }
    }
    once_.clear();
}

std::int64_t DeviceExchange::bytes_sent(GroupKind group) const {
    if (group == GroupKind::pipeline) return stages_ ? stages_->bytes_sent() : 0;
    std::int64_t total = once_bytes_[group];
    for (const Prepared& one : prepared_) {
        if (one.group == group && one.collective) total += one.collective->bytes_sent();
    }
    return total;
}

}  // namespace shardstone::reference
