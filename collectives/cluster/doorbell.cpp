// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a node sleep on a futex in shared memory, and wake each other when something changes.
#include "collectives/cluster/doorbell.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include "collectives/cluster/step_aside.hpp"

namespace shardstone::collectives {

namespace {

// Not the PRIVATE operations: the word is shared between processes.
long futex(std::uint32_t* word, int operation, std::uint32_t value,
           const timespec* limit = nullptr) noexcept {
    return syscall(SYS_futex, word, operation, value, limit, nullptr, 0);
}

}  // namespace

Patience& patience() noexcept {
    thread_local Patience mine;
    return mine;
}

bool Patience::pause(double (*clock_s)()) noexcept {
    if (Waiter::own_core()) {
        relax_core();
        return true;
    }
    // Each of the ranks on this core may have taken its slice (time_slice.hpp), and a bit over.
    constexpr double longest_turn_s = 200e-6;
    const double start_s = clock_s();
    sched_yield();
    if (clock_s() - start_s <= longest_turn_s * Waiter::ranks_per_core()) return true;
    losses_ = std::min(losses_ + 1, most_losses);
    if (losses_ > forgiven) keeps_for_ = first_keep << (losses_ - forgiven - 1);
    passed_on_ = 0;
    return false;
}

void Doorbell::ring() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (std::atomic_ref(sleepers_).load(std::memory_order_relaxed) == 0) return;
    std::atomic_ref(ringer_core_).store(current_core(), std::memory_order_relaxed);
    std::atomic_ref(rings_).fetch_add(1, std::memory_order_release);
    futex(&rings_, FUTEX_WAKE, INT_MAX);
}

Doorbell::Listener::Listener(Doorbell& bell) noexcept
    : bell_(bell), heard_(std::atomic_ref(bell.rings_).load(std::memory_order_acquire)) {
    std::atomic_ref(bell_.sleepers_).fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

Doorbell::Listener::~Listener() {
    std::atomic_ref(bell_.sleepers_).fetch_sub(1, std::memory_order_relaxed);
}

// Errors other than the time-out (EAGAIN: the word has changed, EINTR: a signal) mean the same as a
// wake-up, namely "look again".
bool Doorbell::Listener::sleep() const noexcept {
    constexpr timespec tenth_of_a_second{0, 100000000};
    const bool rung =
        futex(&bell_.rings_, FUTEX_WAIT, heard_, &tenth_of_a_second) == 0 || errno != ETIMEDOUT;
    const bool was_woken = std::atomic_ref(bell_.rings_).load(std::memory_order_acquire) != heard_;
    if (was_woken && Waiter::own_core())
        step_aside_from(std::atomic_ref(bell_.ringer_core_).load(std::memory_order_relaxed));
    return rung;
}

}  // namespace shardstone::collectives
