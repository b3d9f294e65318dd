// SPDX-License-Identifier: BSD-3-Clause
// Timed events in the queue of computations.
#include <cstddef>
#include <deque>

#include "kernels/base/timed_event_cuda.hpp"
#include "kernels/tensor/queue_marks.hpp"

namespace shardstone {

struct QueueMarks::Events {
    CudaQueue queue;
    std::deque<TimedEvent> all{};  ///< kept, so that only the first steps make events
    std::size_t set = 0;           ///< of these
};

QueueMarks::QueueMarks(CudaQueue queue) : events_(new Events{queue}) {}

QueueMarks::~QueueMarks() = default;

void QueueMarks::set() {
    if (events_->set == events_->all.size()) events_->all.emplace_back();
    events_->all[events_->set++].record(events_->queue.stream());
}

void QueueMarks::clear() noexcept {
    events_->set = 0;
}

std::vector<double> QueueMarks::intervals_s() const {
    events_->queue.wait();
    std::vector<double> times_s;
    for (std::size_t i = 1; i < events_->set; ++i) {
        times_s.push_back(events_->all[i].since_s(events_->all[i - 1]));
    }
    return times_s;
}

}  // namespace shardstone
