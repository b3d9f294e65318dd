// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::benchmarks {

/// Whether a training is to end early, since a signal reached one of its ranks (interrupt.hpp). One
/// for each training: it goes by the pace of its steps.
class StopSign {
  public:
    /// The communicator must outlive it.
    explicit StopSign(const collectives::Communicator& world) : world_(world) {}

    /// After each step; the same answer on all ranks. They ask each other a few times a second
    /// only, so as not to hold up short steps. Collective.
    bool raised();

  private:
    const collectives::Communicator& world_;
    double looked_s_ = now_s();
    std::int64_t between_looks_ = 1, steps_since_ = 0;
};

}  // namespace shardstone::benchmarks
