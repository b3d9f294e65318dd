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
enum class Phase : std::uint8_t {
    compute,        ///< forward and backward
    communication,  ///< exposed: starting, moving along and waiting, stragglers included
    data,           ///< drawing and copying sequences
    optimizer,      ///< norm, clipping, update
    preempted,      ///< in one of the other three, but without a core
};
inline constexpr std::size_t phase_count = 5;

/// Seconds per phase.
using PhaseTimes = std::array<double, phase_count>;

/// Books the running time of the thread that calls it on the phase that is set.
class PhaseClock {
  public:
    /// The time since the last call goes to the phase set then; returns that phase.
    Phase enter(Phase phase) {
        // Asking the kernel what the thread has run is where it likes to take the core: that must
        // not fall into communication, which counts by the wall clock.
        const bool waits = phase_ == Phase::communication;
        double now = waits ? now_s() : 0.0;
        const double ran = thread_cpu_s();
        if (!waits) now = now_s();
        const double passed_s = now - since_;
        // The two clocks are read one after the other: what lies between is not lost twice.
        const double ran_s = std::clamp(ran - ran_, 0.0, passed_s);
        const double own_s = phase_ == Phase::communication ? passed_s : ran_s;
        of(phase_) += own_s;
        of(Phase::preempted) += passed_s - own_s;
        since_ = now;
        ran_ = ran;
        return std::exchange(phase_, phase);
    }
    /// Begins a new step in `phase`; the times before are forgotten.
    void restart(Phase phase) {
        times_ = {};
        since_ = now_s();
        ran_ = thread_cpu_s();
        phase_ = phase;
    }
    /// Times since restart().
    const PhaseTimes& stop() {
        enter(phase_);
        return times_;
    }

  private:
    double& of(Phase phase) { return times_[static_cast<std::size_t>(phase)]; }

    PhaseTimes times_{};
    double since_ = now_s();
    double ran_ = thread_cpu_s();  ///< what the thread had run then
    Phase phase_ = Phase::compute;
};

/// Sets a phase for a scope and returns to the one before.
class PhaseScope {
  public:
    PhaseScope(PhaseClock& clock, Phase phase) : clock_(clock), before_(clock.enter(phase)) {}
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;
    ~PhaseScope() { clock_.enter(before_); }

  private:
    PhaseClock& clock_;
    Phase before_;
};

/// When a rank did something, for the timeline.
struct TraceEvent {
    std::int64_t step = 0;
    std::size_t action = 0;  ///< of the step program
    double begin_s = 0.0;    ///< on this rank's clock; of communication: when it was begun
    double end_s = 0.0;
};

}  // namespace shardstone::reference
