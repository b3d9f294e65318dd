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
    /// Whether every rank on this node has a core of its own, as configured; until then, no.
    static bool own_core() noexcept;
    /// How many ranks take turns on a core, as configured; until then, and at least, one.
    static int ranks_per_core() noexcept;

    /// Called after a look that found nothing.
    void idle();
    /// Called after a look that found something.
    void busy() noexcept { empty_looks_ = 0; }

  private:
    std::int64_t empty_looks_ = 0;
};

/// Tells the core that this is a spin loop.
inline void relax_core() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace shardstone::collectives
