// SPDX-License-Identifier: BSD-3-Clause
// The event loop that plays a schedule: messages wait for ports, move, share links and are reduced.
#include "collectives/simulation/engine.hpp"

#include <fmt/format.h>

#include <limits>

#include "collectives/simulation/event_queue.hpp"
#include "collectives/simulation/processes.hpp"
#include "collectives/simulation/shared_links.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

constexpr double not_yet = std::numeric_limits<double>::infinity();
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// One direction of a rank's connection, and the line of messages that wait for it, in the order
/// in which they came. While any waits, an event in the queue will serve the port (`called`),
/// unless the time at which it will be free is not known yet.
struct Port {
    double free_s = 0.0;
    std::uint32_t first = none, last = none;
    bool called = false;
};

/// A message that both ends have reached and that has not ended.
struct Message {
    std::uint32_t sender = 0, receiver = 0;  ///< processes
    std::uint32_t end = 0;                   ///< the receiver's
    std::uint32_t order = 0;                 ///< first come, first served
    std::uint32_t next = none;               ///< behind it in the line of a port
    double alpha_s = 0.0;                    ///< once it moves
};

class Engine {
  public:
    Engine(const StepLists& lists, const Fabric& fabric)
        : lists_(lists),
          fabric_(fabric),
          processes_(lists, fabric),
          ports_(2 * static_cast<std::size_t>(lists.ranks())),
          shared_(capacities(fabric)),
          carried_(fabric.links(), 0.0) {}

    Simulated run() {
        const auto offer = [this](const Meeting& met) { add_message(met); };
        for (std::uint32_t p = 0; p < lists_.processes(); ++p) processes_.advance(p, offer);
        while (!queue_.empty()) {
            const Event event = queue_.pop();
            switch (event.kind()) {
                case EventKind::message:
                    try_to_start(event.number(), event.time_s);
                    break;
                case EventKind::port:
                    serve(event.number(), event.time_s);
                    break;
                case EventKind::flow_end:
                    end_flow(event);
                    break;
                case EventKind::settle:
                    settle(event.time_s);
                    break;
            }
        }
        processes_.require_done();
        return result();
    }

  private:
    static std::vector<double> capacities(const Fabric& fabric) {
        std::vector<double> capacity;
        for (std::uint32_t link = 0; link < fabric.links(); ++link) {
            capacity.push_back(fabric.capacity(link));
        }
        return capacity;
    }

    std::uint32_t send_port(const Message& message) const {
        return 2 * processes_.rank_of(message.sender);
    }
    std::uint32_t receive_port(const Message& message) const {
        return 2 * processes_.rank_of(message.receiver) + 1;
    }

    void add_message(const Meeting& met) {
        if (free_messages_.empty()) {
            free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
            messages_.emplace_back();
        }
        const std::uint32_t number = free_messages_.back();
        free_messages_.pop_back();
        messages_[number] = {met.sender, met.receiver, met.end, next_order_++, none, 0.0};
        queue_.push(Event::make(met.time_s, messages_[number].order, EventKind::message, number));
    }

    /// The port is free, or was to be: the first message that waits for it tries.
    void serve(std::uint32_t port_number, double now_s) {
        Port& port = ports_[port_number];
        port.called = false;
        if (port.first != none && port.free_s <= now_s) {
            const std::uint32_t number = port.first;
            port.first = messages_[number].next;
            try_to_start(number, now_s);
        }
        call(port_number, now_s);
    }

    void try_to_start(std::uint32_t number, double now_s) {
        const std::uint32_t out = send_port(messages_[number]);
        const std::uint32_t in = receive_port(messages_[number]);
        const std::uint32_t later = ports_[out].free_s >= ports_[in].free_s ? out : in;
        if (ports_[later].free_s > now_s) {
            wait(number, later);
            call(later, now_s);
        } else {
            start(number, now_s);
            call(out, now_s);
            call(in, now_s);
        }
    }

    /// Into the port's line, behind all that came before it.
    void wait(std::uint32_t number, std::uint32_t port_number) {
        Port& port = ports_[port_number];
        Message& message = messages_[number];
        if (port.first == none || messages_[port.last].order < message.order) {
            (port.first == none ? port.first : messages_[port.last].next) = number;
            port.last = number;
            message.next = none;
            return;
        }
        std::uint32_t* place = &port.first;
        while (messages_[*place].order < message.order) place = &messages_[*place].next;
        message.next = *place;
        *place = number;
        if (port.first == number) port.called = false;  // its turn is before that of the called
    }

    void call(std::uint32_t port_number, double now_s) {
        Port& port = ports_[port_number];
        if (port.first == none || port.called || port.free_s == not_yet) return;
        port.called = true;
        queue_.push(Event::make(std::max(port.free_s, now_s), messages_[port.first].order,
                                EventKind::port, port_number));
    }

    void start(std::uint32_t number, double now_s) {
        Message& message = messages_[number];
        const auto from = processes_.rank_of(message.sender);
        const auto to = processes_.rank_of(message.receiver);
        const std::int64_t message_bytes = lists_.end(message.end).size_bytes;
        const Route route = fabric_.route(from, to, message_bytes);
        const auto size_bytes = static_cast<double>(message_bytes);
        for (int i = 0; i < route.length; ++i) {
            carried_[route.links[static_cast<std::size_t>(i)]] += size_bytes;
        }
        ++started_;
        message.alpha_s = route.alpha_s;
        if (!route.shared) {
            arrive(number, now_s + size_bytes * route.beta_s_per_byte);
            return;
        }
        ports_[send_port(message)].free_s = ports_[receive_port(message)].free_s = not_yet;
        start_flow(number, route, size_bytes, now_s);
    }

    void start_flow(std::uint32_t number, const Route& route, double size_bytes, double now_s) {
        std::array<std::uint32_t, 4> links{};
        std::size_t length = 0;
        for (int i = 0; i < route.length; ++i) {
            const std::uint32_t link = route.links[static_cast<std::size_t>(i)];
            if (fabric_.shared(link)) links[length++] = link;
        }
        const std::uint32_t flow = shared_.start(std::span(links).first(length), size_bytes,
                                                 1.0 / route.beta_s_per_byte, now_s);
        if (flow >= message_of_flow_.size()) {
            message_of_flow_.resize(flow + 1);
            end_order_.resize(flow + 1);
        }
        message_of_flow_[flow] = number;
        end_order_[flow] = none;
        settle_at(now_s);
    }

    void settle_at(double now_s) {
        if (settling_) return;
        settling_ = true;
        queue_.push(Event::make(now_s, Event::last_order, EventKind::settle, 0));
    }

    void settle(double now_s) {
        settling_ = false;
        for (const auto& ending : shared_.settle(now_s)) {
            end_order_[ending.flow] = next_order_++;
            queue_.push(Event::make(ending.time_s, end_order_[ending.flow], EventKind::flow_end,
                                    ending.flow));
        }
    }

    void end_flow(const Event& event) {
        const std::uint32_t flow = event.number();
        if (event.order != end_order_[flow]) return;  // its rate has changed since
        end_order_[flow] = none;
        shared_.end(flow);
        settle_at(event.time_s);
        const std::uint32_t number = message_of_flow_[flow];
        const std::uint32_t out = send_port(messages_[number]);
        const std::uint32_t in = receive_port(messages_[number]);
        arrive(number, event.time_s);
        call(out, event.time_s);
        call(in, event.time_s);
    }

    /// The last byte has left at `left_s`.
    void arrive(std::uint32_t number, double left_s) {
        const Message message = messages_[number];
        free_messages_.push_back(number);
        ports_[send_port(message)].free_s = ports_[receive_port(message)].free_s = left_s;
        const auto offer = [this](const Meeting& met) { add_message(met); };
        processes_.end_of_message(message.sender, message.receiver, lists_.end(message.end),
                                  left_s + message.alpha_s, offer);
    }

    Simulated result() const {
        Simulated result;
        result.time_s = processes_.end_s();
        result.messages = static_cast<double>(started_);
        for (std::uint32_t link = 0; link < fabric_.links(); ++link) {
            auto& traffic = result.traffic[static_cast<std::size_t>(fabric_.class_of(link))];
            if (fabric_.outgoing(link)) traffic.bytes += carried_[link];
            const double busy_s = carried_[link] / fabric_.capacity(link);
            if (traffic.capacity_gb_s > 0.0 && !(busy_s > traffic.busy_s)) continue;
            traffic.busiest_bytes = carried_[link];
            traffic.capacity_gb_s = fabric_.capacity(link) * 1e-9;
            traffic.busy_s = busy_s;
        }
        return result;
    }

    const StepLists& lists_;
    const Fabric& fabric_;
    Processes processes_;
    std::vector<Port> ports_;  ///< of each rank, the one to send and the one to receive
    EventQueue queue_;
    std::vector<Message> messages_;
    std::vector<std::uint32_t> free_messages_;
    SharedLinks shared_;
    std::vector<std::uint32_t> message_of_flow_;
    std::vector<std::uint32_t> end_order_;  ///< of the event that ends a flow; others are stale
    bool settling_ = false;
    std::vector<double> carried_;  ///< bytes by link
    std::int64_t started_ = 0;
    std::uint32_t next_order_ = 0;
};

}  // namespace

Simulated play(const StepLists& lists, const Fabric& fabric) {
    SHARDSTONE_EXPECTS(static_cast<int>(lists.ranks()) == fabric.size());
    return Engine(lists, fabric).run();
}

}  // namespace shardstone::collectives
