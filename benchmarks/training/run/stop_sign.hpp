// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::benchmarks {

/// Decides whether a training ends early because a signal reached one of its ranks (interrupt.hpp).
/// One per training: it adapts to the pace of its steps.
class StopSign {
  public:
    /// The communicator must outlive it.
    explicit StopSign(const collectives::Communicator& world) : world_(world) {}

    /// To be called after each step; the same answer on all ranks. They communicate only a few
    /// times per second, so as not to slow down short steps. Collective.
    bool raised();

  private:
    const collectives::Communicator& world_;
    double looked_s_ = now_s();
    std::int64_t between_looks_ = 1, steps_since_ = 0;
};

}  // namespace shardstone::benchmarks
