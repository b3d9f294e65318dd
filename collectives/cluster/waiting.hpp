// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone::collectives {

/// How a rank waits: spins briefly where every rank has a core of its own, otherwise gives the core
/// away after every empty look, and naps when nothing has come for long.
class Waiter {
  public:
    /// Tells all waiters of this process how many ranks share how many cores on this node.
    static void configure(int ranks_on_node, int cores_on_node);

    /// Called after a look that found nothing.
    void idle();
    /// Called after a look that found something.
    void busy() noexcept { empty_looks_ = 0; }

  private:
    std::int64_t empty_looks_ = 0;
};

}  // namespace shardstone::collectives
