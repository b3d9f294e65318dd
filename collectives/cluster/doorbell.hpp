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

/// How long a rank looks before it sleeps, learnt from its last waits. Where every rank has a core
/// of its own, looking for about as long as a wake-up takes is cheaper than sleeping; but when the
/// other rank is kept off its core, by another program or by this very loop, looking is in vain.
class Patience {
  public:
    /// How often to look in the next wait; at least once.
    int looks() const noexcept {
        if (!Waiter::own_core()) return 1;
        return in_vain_ < few || in_vain_ % rarely == 0 ? many_looks : few_looks;
    }
    /// After so many empty looks, was there news without sleep?
    void learn(int empty_looks, bool news) noexcept {
        if (!news) {
            ++in_vain_;
        } else if (empty_looks > 0) {
            in_vain_ = 0;
        }
    }

  private:
    static constexpr int many_looks = 2000;
    static constexpr int few_looks = 16;
    static constexpr unsigned few = 4;
    static constexpr unsigned rarely = 16;

    unsigned in_vain_ = 0;  ///< waits in a row that ended in sleep
};

/// That of the calling thread.
Patience& patience() noexcept;

/// Returns once look() is true: looks as often as patience() says, then sleeps on the bell between
/// looks. Calls nap() every tenth
/// of a second without a ring: what else this rank owes to others, since asleep it does nothing
/// (MPI moves messages on only inside calls of MPI).
template <class Look, class Nap>
void wait_for_news(Doorbell& bell, Look&& look, Nap&& nap) {
    const int looks = patience().looks();
    for (int empty = 0; empty < looks; ++empty) {
        if (look()) return patience().learn(empty, /*news=*/true);
        relax_core();
    }
    patience().learn(looks, /*news=*/false);
    while (true) {
        const Doorbell::Listener listener(bell);
        if (look()) return;
        if (!listener.sleep()) nap();
    }
}

}  // namespace shardstone::collectives
