// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/waiting.hpp"

namespace shardstone::collectives {

/// Wakes ranks that sleep until something changes in shared memory. Lives in a SharedWindow, whose
/// zeros are its initial state; ranks of one node use it together. Local, never an MPI call.
///
/// Whoever changes something stores it (release or stronger) and then rings. Whoever waits becomes
/// a Listener, looks once more, and sleeps. No ring is lost: the ringer's fence between its store
/// and its look at the sleepers, and the listener's between its entry and its look at what was
/// stored, cannot both miss the other (Dekker); and a ring between that look and the sleep changes
/// the word that the kernel compares (futex(2), FUTEX_WAIT). Nobody asleep costs no system call.
class alignas(64) Doorbell {
  public:
    void ring() noexcept;

    class Listener {
      public:
        explicit Listener(Doorbell& bell) noexcept;
        ~Listener();
        Listener(const Listener&) = delete;
        Listener& operator=(const Listener&) = delete;

        /// Returns true after a ring since this listener was made, possibly without one; false
        /// after a tenth of a second.
        bool sleep() const noexcept;

      private:
        Doorbell& bell_;
        std::uint32_t heard_;
    };

  private:
    std::uint32_t rings_;
    std::uint32_t sleepers_;
};

/// Returns once look() is true: looks again and again for about a scheduler's wake-up time where
/// every rank has a core of its own, then sleeps on the bell between looks. Calls nap() every tenth
/// of a second without a ring: what else this rank owes to others, since asleep it does nothing
/// (MPI moves messages on only inside calls of MPI).
template <class Look, class Nap>
void wait_for_news(Doorbell& bell, Look&& look, Nap&& nap) {
    constexpr int looks_with_own_core = 4000;
    for (int looks = Waiter::own_core() ? looks_with_own_core : 1; looks > 0; --looks) {
        if (look()) return;
        relax_core();
    }
    while (true) {
        const Doorbell::Listener listener(bell);
        if (look()) return;
        if (!listener.sleep()) nap();
    }
}

}  // namespace shardstone::collectives
