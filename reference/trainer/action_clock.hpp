// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/clock.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/queue_marks.hpp"
#include "reference/trainer/clock.hpp"

namespace shardstone::reference {

/// When the actions of a traced step begin and end, on the rank's clock.
template <class Space>
class ActionClock {
  public:
    explicit ActionClock(typename Space::Queue) {}

    void begin_step() {}
    double now() { return now_s(); }
    /// `begin_s`: of the step. Completes the times of its events.
    void end_step(double, std::span<TraceEvent>) {}
};

/// On a GPU actions are where its queue of computations gets to them, not where the host, which is
/// ahead of it, enqueues them: a transfer begins when the queue has come to its data, and ends when
/// the queue goes on with the result. Until the step has run, times are the numbers of marks.
template <>
class ActionClock<Cuda> {
  public:
    explicit ActionClock(CudaQueue queue) : marks_(queue) {}

    void begin_step() {
        marks_.clear();
        marks_.set();
        last_ = 0;
    }
    double now() {
        marks_.set();
        return static_cast<double>(++last_);
    }
    void end_step(double begin_s, std::span<TraceEvent> events) {
        std::vector<double> reached_s{begin_s};
        for (const double interval_s : marks_.intervals_s()) {
            reached_s.push_back(reached_s.back() + interval_s);
        }
        const auto time_of = [&](double mark) {
            return reached_s.at(static_cast<std::size_t>(mark));
        };
        for (TraceEvent& event : events) {
            event.begin_s = time_of(event.begin_s);
            event.end_s = time_of(event.end_s);
        }
    }

  private:
    QueueMarks marks_;
    std::size_t last_ = 0;
};

}  // namespace shardstone::reference
