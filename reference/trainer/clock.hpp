// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "kernels/base/clock.hpp"

namespace shardstone::reference {

/// What a rank's time goes to; every moment of a step belongs to exactly one of them.
enum class Phase : std::uint8_t {
    compute,        ///< forward and backward
    communication,  ///< exposed: starting, moving along and waiting, stragglers included
    data,           ///< drawing and copying sequences
    optimizer,      ///< norm, clipping, update
};
inline constexpr std::size_t phase_count = 4;

/// Seconds per phase.
using PhaseTimes = std::array<double, phase_count>;

/// Books the running time on the phase that is set.
class PhaseClock {
  public:
    /// The time since the last call goes to the phase set then; returns that phase.
    Phase enter(Phase phase) {
        const double now = now_s();
        times_[static_cast<std::size_t>(phase_)] += now - since_;
        since_ = now;
        return std::exchange(phase_, phase);
    }
    /// Begins a new step in `phase`; the times before are forgotten.
    void restart(Phase phase) {
        times_ = {};
        since_ = now_s();
        phase_ = phase;
    }
    /// Times since restart().
    const PhaseTimes& stop() {
        enter(phase_);
        return times_;
    }

  private:
    PhaseTimes times_{};
    double since_ = now_s();
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
