// SPDX-License-Identifier: BSD-3-Clause
// Waits for a message that took long, with whose message it was and how far this rank had come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/cluster/waiting.hpp"
#include "kernels/base/run_delay.hpp"

namespace shardstone::collectives {

/// Something awaited of one rank, by which a long wait tells whom it was for.
class AwaitedRank : public Awaited {
  public:
    /// In the communicator that carries it; negative if nothing of that rank is awaited, but only
    /// room for what is sent to it.
    virtual int rank_awaited() const = 0;

  protected:
    ~AwaitedRank() = default;
};

/// One wait, by the clock of its rank (now_s()).
struct LongWait {
    int awaited = -1;        ///< rank whose message it was for; negative if it cannot tell
    std::int64_t stage = 0;  ///< what the rank was at, as enter_stage() had it
    std::int64_t step = 0;   ///< of a collective call in it, as next_step() counts
    /// From the first nap (waiting.hpp), up to 0.1 s after the wait began, to the message.
    double begin_s = 0.0, end_s = 0.0;
    double no_core_s = 0.0;  ///< of it, ready to run, but on no core; NaN if the kernel hides it
};

/// While it exists, notes the long waits of the thread that made it. A wait that is not long costs
/// nothing.
///
/// Stages and their steps are ordered: what a rank sends in one, it has sent before it waits in
/// that or in a later one, unless it waits for room. So a rank that awaits another one's message,
/// while that is as far or further, waits for the network; and if the other is behind, it may be
/// held up itself.
class LongWaits {
  public:
    /// Of waits that last `least_s` or more.
    explicit LongWaits(double least_s);
    LongWaits(const LongWaits&) = delete;
    LongWaits& operator=(const LongWaits&) = delete;
    ~LongWaits();

    /// Those since the last call, in order.
    std::vector<LongWait> take();

    // Without one on this thread these do nothing.

    /// `number` is the same on ranks that do the same, and ascends; `ranks`: of the communicator of
    /// its messages, in the numbers that a wait is to tell, if they differ. Must live as long.
    static void enter_stage(std::int64_t number, std::span<const int> ranks = {});
    /// The next part of a collective call, in which no rank sends before it has what it needs of
    /// the parts before.
    static void next_step();
    static void begin(const Awaited* what);
    static void end();

  private:
    double least_s_;
    RunDelay run_delay_;
    std::span<const int> ranks_;
    std::int64_t stage_ = 0, step_ = 0;
    LongWait under_way_;
    double no_core_before_s_ = 0.0;
    std::vector<LongWait> seen_;
};

}  // namespace shardstone::collectives
