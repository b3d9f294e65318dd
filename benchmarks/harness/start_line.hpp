// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/shared_barrier.hpp"

namespace shardstone::benchmarks {

/// Where all ranks wait for each other before a timed iteration.
///
/// On one node they meet in shared memory, where who waits sleeps: a rank that is still on its way
/// out of a barrier made of messages takes a core from those that have begun, and with more ranks
/// than cores that, not the collective, would be most of the time measured. Between nodes they meet
/// by messages.
class StartLine {
  public:
    /// Collective. The communicator must outlive this object.
    explicit StartLine(const collectives::Communicator& communicator);
    /// Returns on no rank before every rank has come.
    void wait();

  private:
    const collectives::Communicator& communicator_;
    std::optional<collectives::SharedBarrier> shared_;
};

}  // namespace shardstone::benchmarks
