// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/clock.hpp"
#include "kernels/base/run_delay.hpp"
#include "reference/step/pricing/rank_waits.hpp"

namespace shardstone::reference {

/// Notes, for the timeline of a rank, when it waited for a core: the kernel's account of that is
/// read around each computation and after each look at the messages that moved some. A look that
/// moves nothing came late for nobody, however long the rank was off its core before: so a rank
/// that yields while it waits for a slow link is not taken for one that waits for a core. Where the
/// kernel does not tell, nothing is noted but the steps.
class CoreWatch {
  public:
    void begin_step() {
        looked_s_ = now_s();
        moved_at_s_ = computed_at_s_ = delay_.waited_s();
        steps_.emplace_back();
    }
    /// When it was by the rank's clock of the step, whose time is the one that is split.
    void end_step(const ActionSpan& step) {
        steps_.back().begin_s = step.begin_s;
        steps_.back().end_s = step.end_s;
    }

    void begin_computation() {
        const double before_s = computed_at_s_;
        computed_at_s_ = delay_.waited_s();
        steps_.back().computations.push_back({known(computed_at_s_ - before_s), 0.0});
    }
    void end_computation() {
        const double before_s = computed_at_s_;
        computed_at_s_ = delay_.waited_s();
        steps_.back().computations.back().within_s = known(computed_at_s_ - before_s);
    }

    /// After each look at the messages: when it began, and whether it moved any. The messages may
    /// have been there since the look before; but the rank was on no core for so long at most as
    /// the kernel counts since some moved.
    void looked(double begin_s, bool moved) {
        if (moved && !steps_.empty()) {
            const double before_s = moved_at_s_;
            moved_at_s_ = delay_.waited_s();
            const double late_s = std::min(begin_s - looked_s_, known(moved_at_s_ - before_s));
            if (late_s > 0.0) steps_.back().late_looks.push_back({begin_s - late_s, begin_s});
        }
        looked_s_ = begin_s;
    }

    /// All steps so far, on this rank's clock.
    const std::vector<RankWaits>& steps() const noexcept { return steps_; }

  private:
    static double known(double waited_s) { return waited_s > 0.0 ? waited_s : 0.0; }

    RunDelay delay_;
    double looked_s_ = 0.0;                          ///< begin of the last look
    double moved_at_s_ = 0.0, computed_at_s_ = 0.0;  ///< the account at these moments
    std::vector<RankWaits> steps_;
};

}  // namespace shardstone::reference
