// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace shardstone::collectives {

/// Something that is waited for, which can say what it needs.
class Awaited {
  public:
    /// "step 3 of 7: 8 KiB from rank 2"; empty when it cannot tell.
    virtual std::string waits_for() const { return ""; }

  protected:
    ~Awaited() = default;
};

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

    /// Of a wait that becomes long, `what` is asked what it waits for, for whoever watches
    /// (whereabouts.hpp).
    explicit Waiter(const Awaited* what = nullptr) noexcept : what_(what) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { busy(); }

    /// Called after a look that found nothing.
    void idle();
    /// Called after a look that found something.
    void busy() noexcept {
        empty_looks_ = 0;
        if (is_long_) end_long_wait();
    }

  private:
    void nap();
    void end_long_wait() noexcept;

    const Awaited* what_;
    std::int64_t empty_looks_ = 0;
    bool is_long_ = false;
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
