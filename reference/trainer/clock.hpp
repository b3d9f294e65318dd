// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/cpu_clock.hpp"

namespace shardstone::reference {

/// The parts of a rank's time; every moment of a step belongs to exactly one of them (on a GPU as
/// queue_clock.hpp says). Compute, data
/// and optimizer count while the rank's thread has a core; if ranks outnumber cores, or another
/// process takes one, the rest of that time is `preempted`. Therefore the sum of the three over the
/// ranks of a node never exceeds the time of its cores.
enum class StepPart : std::uint8_t {
    compute,        ///< forward and backward
    communication,  ///< exposed: starting, progress and waiting, including stragglers
    data,           ///< drawing and copying sequences
    optimizer,      ///< norm, clipping, update
    preempted,      ///< in compute, data or optimizer, but without a core
};
inline constexpr std::size_t step_part_count = 5;

/// Seconds per part.
using StepPartTimes = std::array<double, step_part_count>;

/// Attributes the running time of the calling thread to the current part.
class StepClock {
  public:
    /// Attributes the time since the last call to the part set then; returns that part.
    StepPart enter(StepPart part) {
        // The kernel often preempts the thread when asked for its CPU time: that must not be
        // counted as communication, which is measured by the wall clock.
        const bool waits = by_wall_ || part_ == StepPart::communication;
        double now = waits ? now_s() : 0.0;
        const double ran = thread_cpu_s();
        if (!waits) now = now_s();
        const double passed_s = now - since_;
        // The two clocks are read one after the other: clamped, the time between is not lost twice.
        const double ran_s = std::clamp(ran - ran_, 0.0, passed_s);
        const double own_s = waits ? passed_s : ran_s;
        of(part_) += own_s;
        of(StepPart::preempted) += passed_s - own_s;
        since_ = now;
        ran_ = ran;
        return std::exchange(part_, part);
    }
    /// From now on time without a core counts as well: where the rank is idle on purpose.
    void count_the_wall() { by_wall_ = true; }
    /// Starts a new step in `part` and discards previous times.
    void restart(StepPart part) {
        times_ = {};
        since_ = now_s();
        ran_ = thread_cpu_s();
        part_ = part;
    }
    /// Times since restart().
    const StepPartTimes& stop() {
        enter(part_);
        return times_;
    }
    /// The moment up to which time has been attributed: that of restart() or stop(), after them.
    double since_s() const { return since_; }

  private:
    double& of(StepPart part) { return times_[static_cast<std::size_t>(part)]; }

    StepPartTimes times_{};
    double since_ = now_s();
    double ran_ = thread_cpu_s();  ///< CPU time of the thread at since_
    StepPart part_ = StepPart::compute;
    bool by_wall_ = false;
};

/// Sets a part of a StepClock or QueueClock for a scope and restores the previous one.
template <class Clock>
class StepPartScope {
  public:
    StepPartScope(Clock& clock, StepPart part) : clock_(clock), before_(clock.enter(part)) {}
    StepPartScope(const StepPartScope&) = delete;
    StepPartScope& operator=(const StepPartScope&) = delete;
    /// The GPU may say here what went wrong on it; of a step that an error has ended nothing is
    /// timed.
    // NOLINTNEXTLINE(performance-noexcept-destructor)
    ~StepPartScope() noexcept(false) {
        if (std::uncaught_exceptions() == errors_before_) clock_.enter(before_);
    }

  private:
    Clock& clock_;
    StepPart before_;
    int errors_before_ = std::uncaught_exceptions();
};

/// Times of an action of a rank, for the timeline.
struct TraceEvent {
    std::int64_t step = 0;
    std::size_t action = 0;  ///< of the step program
    double begin_s = 0.0;    ///< on this rank's clock; for communication: when it was started
    double end_s = 0.0;
};

}  // namespace shardstone::reference
