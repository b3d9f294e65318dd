// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/waiting.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::collectives {

/// Wakes ranks that sleep until something changes in shared memory. Resides in a SharedWindow,
/// whose zeros are its initial state; shared by the ranks of one node. Local, never calls MPI.
///
/// A rank that changes something stores it (release or stronger) and then rings. A rank that waits
/// becomes a Listener, checks once more, and sleeps. No ring is lost: the ringer's fence between
/// its store and its look at the sleepers, and the listener's between its entry and its look at
/// what was stored, cannot both miss the other (Dekker); and a ring between that look and the sleep
/// changes the word that the kernel compares (futex(2), FUTEX_WAIT). If no rank sleeps, ringing
/// needs no system call.
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
        /// after a tenth of a second. Where every rank should have a core of its own, a woken
        /// thread that finds itself on the ringer's moves to another (step_aside.hpp).
        bool sleep() const noexcept;

      private:
        Doorbell& bell_;
        std::uint32_t heard_;
    };

  private:
    std::uint32_t rings_;
    std::uint32_t sleepers_;
    int ringer_core_;  ///< of the last ring that had sleepers; meaningless before one
};

/// How long a rank polls before it sleeps, learnt from its last waits. If every rank has a core of
/// its own, polling for about as long as a wake-up takes is cheaper than sleeping. If ranks share a
/// core, yielding it a few times is cheaper than a sleep and a wake-up each. But if the other rank
/// is kept off its core, by another program or by this loop, polling is in vain; and a core yielded
/// to another program is lost for milliseconds, so that after each such loss the core is not
/// yielded for longer and longer periods.
class Patience {
  public:
    /// Number of polls in the next wait; at least one.
    int looks() const noexcept {
        const bool hopeful = in_vain_ < few || in_vain_ % rarely == 0;
        if (!Waiter::own_core()) return hopeful && keeps_for_ == 0 ? looks_in_turn : 1;
        return hopeful ? many_looks : few_looks;
    }
    /// Passes the time between two polls; false if that took so long that only a program other than
    /// the ranks can have had the core: a sleeping rank would have been back on it sooner. Tests
    /// have a clock of their own.
    bool pause(double (*clock_s)() = now_s) noexcept;

    /// Reports whether the wait ended without sleep, after this many unsuccessful polls.
    void learn(int empty_looks, bool news) noexcept {
        if (keeps_for_ > 0) {
            --keeps_for_;
        } else if (!news) {
            ++in_vain_;
        } else if (empty_looks > 0) {
            in_vain_ = 0;
            if (++passed_on_ > enough_to_forget) losses_ = 0;
        }
    }

  private:
    static constexpr int many_looks = 2000;
    static constexpr int few_looks = 16;
    static constexpr int looks_in_turn = 8;
    static constexpr unsigned few = 4;
    static constexpr unsigned rarely = 16;
    /// Losses in a row that are put down to ranks still busy with something else, as between two
    /// measurements; from then on 32 waits, up to 32 * 2^4.
    static constexpr int forgiven = 8, first_keep = 32, most_losses = 13;
    static constexpr int enough_to_forget = 256;

    unsigned in_vain_ = 0;  ///< waits in a row that ended in sleep
    int keeps_for_ = 0;     ///< number of waits in which the core is not yielded
    int losses_ = 0;        ///< of the core to another program, not long ago
    int passed_on_ = 0;     ///< waits that ended by yielding, since the last loss
};

/// The patience of the calling thread.
Patience& patience() noexcept;

/// Returns once look() is true: polls as often as patience() says, then sleeps on the bell between
/// polls. Calls nap() every tenth of a second without a ring, for other work that this rank owes to
/// others, since it does nothing while asleep (MPI progresses messages only inside MPI calls).
template <class Look, class Nap>
void wait_for_news(Doorbell& bell, Look&& look, Nap&& nap) {
    Patience& mine = patience();
    const int looks = mine.looks();
    for (int empty = 0; empty < looks; ++empty) {
        if (look()) return mine.learn(empty, /*news=*/true);
        if (!mine.pause()) break;
    }
    mine.learn(looks, /*news=*/false);
    while (true) {
        const Doorbell::Listener listener(bell);
        if (look()) return;
        if (!listener.sleep()) nap();
    }
}

}  // namespace shardstone::collectives
