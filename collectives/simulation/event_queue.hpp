// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace shardstone::collectives {

enum class EventKind : std::uint8_t { message, port, flow_end, settle };

/// Something that may happen at a time; events of one time happen in their order.
struct Event {
    double time_s = 0.0;
    std::uint32_t order = 0;
    std::uint32_t what = 0;  ///< kind in the two highest bits, number of what it is about below

    static constexpr std::uint32_t last_order = std::numeric_limits<std::uint32_t>::max();

    static Event make(double time_s, std::uint32_t order, EventKind kind, std::uint32_t number) {
        return {time_s, order, static_cast<std::uint32_t>(kind) << 30U | number};
    }
    EventKind kind() const { return static_cast<EventKind>(what >> 30U); }
    std::uint32_t number() const { return what & 0x3fffffffU; }

    bool operator>(const Event& other) const {
        return time_s != other.time_s ? time_s > other.time_s : order > other.order;
    }
};

/// The events to come, earliest first. Schedules work in waves, so most events are later than all
/// earlier ones: these are kept in a queue that needs no sorting, the others in a heap.
class EventQueue {
  public:
    bool empty() const noexcept { return heap_.empty() && next_ == line_.size(); }

    void push(const Event& event) {
        if (next_ == line_.size()) {
            line_.clear();
            next_ = 0;
        }
        if (line_.empty() || event > line_.back()) {
            line_.push_back(event);
            return;
        }
        heap_.push_back(event);
        std::ranges::push_heap(heap_, std::greater<>{});
    }
    Event pop() {
        if (heap_.empty() || (next_ < line_.size() && heap_.front() > line_[next_])) {
            return line_[next_++];
        }
        std::ranges::pop_heap(heap_, std::greater<>{});
        const Event event = heap_.back();
        heap_.pop_back();
        return event;
    }

  private:
    std::vector<Event> line_;
    std::size_t next_ = 0;  ///< in the queue
    std::vector<Event> heap_;
};

}  // namespace shardstone::collectives
