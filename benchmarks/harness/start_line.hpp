// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/shared_barrier.hpp"

namespace shardstone::benchmarks {

/// A barrier of all ranks before a timed iteration.
///
/// On one node it uses shared memory, where waiting ranks sleep: a rank still leaving a barrier
/// made of messages takes a core from those that have started, and with more ranks than cores that,
/// not the collective, would dominate the measured time. Between nodes it uses messages.
class StartLine {
  public:
    /// Collective. The communicator must outlive this object.
    explicit StartLine(const collectives::Communicator& communicator);
    /// Returns on no rank before every rank has arrived.
    void wait();

  private:
    const collectives::Communicator& communicator_;
    std::optional<collectives::SharedBarrier> shared_;
};

}  // namespace shardstone::benchmarks
