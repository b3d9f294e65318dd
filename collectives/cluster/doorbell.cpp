// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/cluster/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

namespace shardstone::collectives {

namespace {

// Not the PRIVATE operations: the word is shared between processes. Errors (EAGAIN: the word has
// changed, EINTR: a signal) mean the same as a wake-up, namely "look again".
void futex(std::uint32_t* word, int operation, std::uint32_t value) noexcept {
    syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

void Doorbell::ring() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (std::atomic_ref(sleepers_).load(std::memory_order_relaxed) == 0) return;
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

void Doorbell::Listener::sleep() const noexcept {
    futex(&bell_.rings_, FUTEX_WAIT, heard_);
}

}  // namespace shardstone::collectives
