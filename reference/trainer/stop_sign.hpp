// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::reference {

/// Whether a training is to end early, since a signal reached one of its ranks (interrupt.hpp).
class StopSign {
  public:
    /// The communicator must outlive it.
    explicit StopSign(const collectives::Communicator& world) : world_(world) {}

    /// After each step, with what it took on this rank; the same answer on all ranks. They ask each
    /// other a few times a second only, so as not to hold up short steps. Collective.
    bool raised(double step_s);

  private:
    const collectives::Communicator& world_;
    std::int64_t steps_to_next_look_ = 0;
};

}  // namespace shardstone::reference
