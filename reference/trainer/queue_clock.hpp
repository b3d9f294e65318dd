// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/queue_marks.hpp"
#include "reference/trainer/clock.hpp"

namespace shardstone::reference {

/// The parts of a step of `step_s` seconds on its host's clock, whose queue spent `passed_s[i]` in
/// `parts[i]`: what the queue does not tell belongs to the first part. A GPU's seconds fit into its
/// host's; an emulated GPU has a clock of its own, and where that runs ahead, its seconds are
/// shortened alike, so that no part takes what belongs to another.
inline StepPartTimes share_step(std::span<const double> passed_s, std::span<const StepPart> parts,
                                double step_s) {
    StepPartTimes times{};
    const auto of = [&](StepPart part) -> double& { return times[static_cast<std::size_t>(part)]; };
    const double queue_s = std::accumulate(passed_s.begin(), passed_s.end(), 0.0);
    const double scale = queue_s > step_s ? step_s / queue_s : 1.0;
    const StepPart first = parts.front();
    of(first) = step_s;
    for (std::size_t i = 0; i < passed_s.size(); ++i) {
        const double moved_s = std::min(scale * passed_s[i], of(first));
        of(first) -= moved_s;
        of(parts[i]) += moved_s;
    }
    return times;
}

/// The StepClock of a rank that computes on a GPU: each moment belongs to what the GPU's queue of
/// computations does then, not to what its host does, which is ahead of it and waits for nothing
/// before stop(). So communication is what holds computations up, data is the time in which they
/// want some, and nothing is `preempted`.
class QueueClock {
  public:
    explicit QueueClock(CudaQueue queue) : marks_(queue) {}

    /// What is enqueued from now on belongs to `part`; returns the part until now.
    StepPart enter(StepPart part) {
        if (part != current()) begin(part);
        return std::exchange(current_, part);
    }
    StepPart current() const { return current_; }
    /// It counts nothing else.
    void count_the_wall() {}
    /// Starts a new step in `part` and discards previous times.
    void restart(StepPart part) {
        marks_.clear();
        parts_.clear();
        since_ = now_s();
        begin(part);
        current_ = part;
    }
    /// Times since restart(), when the queue has run all. What it does not tell, before its first
    /// mark and behind its last, belongs to the part of restart().
    const StepPartTimes& stop() {
        marks_.set();
        const auto passed_s = marks_.intervals_s();
        const double begin_s = std::exchange(since_, now_s());
        times_ = share_step(passed_s, parts_, since_ - begin_s);
        return times_;
    }
    /// The moment of restart(), or of stop() after that.
    double since_s() const { return since_; }

  private:
    void begin(StepPart part) {
        marks_.set();
        parts_.push_back(part);
    }

    QueueMarks marks_;
    std::vector<StepPart> parts_;  ///< behind each mark
    StepPartTimes times_{};
    double since_ = now_s();
    StepPart current_ = StepPart::compute;
};

/// The clock of a rank whose data are in this memory space.
template <class Space>
using ClockOf = std::conditional_t<std::is_same_v<Space, Cuda>, QueueClock, StepClock>;
template <class Space>
ClockOf<Space> clock_of([[maybe_unused]] typename Space::Queue queue) {
    if constexpr (std::is_same_v<Space, Cuda>) {
        return QueueClock(queue);
    } else {
        return StepClock();
    }
}

}  // namespace shardstone::reference
