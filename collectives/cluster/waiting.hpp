// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace shardstone::collectives {

/// Something awaited that can describe what it needs.
class Awaited {
  public:
    /// "step 3 of 7: 8 KiB from rank 2"; empty if it cannot tell.
    virtual std::string waits_for() const { return ""; }

  protected:
    ~Awaited() = default;
};

/// The way a rank waits: it spins briefly if every rank has a core of its own, otherwise yields the
/// core after every unsuccessful poll, and naps if nothing has arrived for long.
class Waiter {
  public:
    /// Tells all waiters of this process how many ranks share how many cores, where most do.
    static void configure(int ranks, int cores);
    /// Whether every rank of the job has a core of its own, as configured; false until then.
    static bool own_core() noexcept;
    /// Number of ranks that share a core, as configured; one until then, and at least.
    static int ranks_per_core() noexcept;

    /// If the wait becomes long, `what` is asked what it waits for, for the watchdog
    /// (whereabouts.hpp).
    explicit Waiter(const Awaited* what = nullptr) noexcept : what_(what) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { busy(); }

    /// Called after an unsuccessful poll.
    void idle();
    /// Called after a successful poll.
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

/// Hints to the core that this is a spin loop.
inline void relax_core() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace shardstone::collectives
