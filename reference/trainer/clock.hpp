// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/cpu_clock.hpp"

namespace shardstone::reference {

/// What a rank's time goes to; every moment of a step belongs to exactly one of them. Compute, data
/// and optimizer count while the rank's thread has a core; where ranks outnumber cores, or another
/// process wants one, the rest of that time is `preempted`. So the three, summed over the ranks of
/// a node, are never more than its cores can give.
enum class StepPart : std::uint8_t {
    compute,        ///< forward and backward
    communication,  ///< exposed: starting, moving along and waiting, stragglers included
    data,           ///< drawing and copying sequences
    optimizer,      ///< norm, clipping, update
    preempted,      ///< in one of the other three, but without a core
};
inline constexpr std::size_t step_part_count = 5;

/// Seconds per part.
using StepPartTimes = std::array<double, step_part_count>;

/// Books the running time of the thread that calls it on the part that is set.
class StepClock {
  public:
    /// The time since the last call goes to the part set then; returns that part.
    StepPart enter(StepPart part) {
        // Asking the kernel what the thread has run is where it likes to take the core: that must
        // not fall into communication, which counts by the wall clock.
        const bool waits = part_ == StepPart::communication;
        double now = waits ? now_s() : 0.0;
        const double ran = thread_cpu_s();
        if (!waits) now = now_s();
        const double passed_s = now - since_;
        // The two clocks are read one after the other: what lies between is not lost twice.
        const double ran_s = std::clamp(ran - ran_, 0.0, passed_s);
        const double own_s = part_ == StepPart::communication ? passed_s : ran_s;
        of(part_) += own_s;
        of(StepPart::preempted) += passed_s - own_s;
        since_ = now;
        ran_ = ran;
        return std::exchange(part_, part);
    }
    /// Begins a new step in `part`; the times before are forgotten.
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

  private:
    double& of(StepPart part) { return times_[static_cast<std::size_t>(part)]; }

    StepPartTimes times_{};
    double since_ = now_s();
    double ran_ = thread_cpu_s();  ///< what the thread had run then
    StepPart part_ = StepPart::compute;
};

/// Sets a part for a scope and returns to the one before.
class StepPartScope {
  public:
    StepPartScope(StepClock& clock, StepPart part) : clock_(clock), before_(clock.enter(part)) {}
    StepPartScope(const StepPartScope&) = delete;
    StepPartScope& operator=(const StepPartScope&) = delete;
    ~StepPartScope() { clock_.enter(before_); }

  private:
    StepClock& clock_;
    StepPart before_;
};

/// When a rank did something, for the timeline.
struct TraceEvent {
    std::int64_t step = 0;
    std::size_t action = 0;  ///< of the step program
    double begin_s = 0.0;    ///< on this rank's clock; of communication: when it was begun
    double end_s = 0.0;
};

}  // namespace shardstone::reference
