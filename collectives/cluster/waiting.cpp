// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/cluster/waiting.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>

#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

// With a core of its own a rank may spin this many looks (about 0.2 us each) before it yields:
// longer than a message takes inside a node, shorter than a scheduler slice.
constexpr std::int64_t spins_with_own_core = 2000;
// Yields before the first nap. A yield among runnable neighbours costs their time slice, so a rank
// that has yielded this often without news is waiting for something slow.
constexpr std::int64_t yields_before_nap = 20000;
constexpr long nap_ns = 20000;

std::atomic<std::int64_t> spins{0};
std::atomic<int> sharers{1};

}  // namespace

void Waiter::configure(int ranks_on_node, int cores_on_node) {
    spins = ranks_on_node <= cores_on_node ? spins_with_own_core : 0;
    sharers = std::max(1, (ranks_on_node + cores_on_node - 1) / std::max(1, cores_on_node));
}

bool Waiter::own_core() noexcept {
    return spins > 0;
}

int Waiter::ranks_per_core() noexcept {
    return sharers;
}

void Waiter::idle() {
    ++empty_looks_;
    if (empty_looks_ <= spins) return;
    if (empty_looks_ <= spins + yields_before_nap) {
        sched_yield();
        return;
    }
    nap();
}

void Waiter::nap() {
    if (!is_long_)
        whereabouts().waits(what_ != nullptr ? what_->waits_for()
                                             : "messages (a barrier, or setting up)");
    is_long_ = true;
    const timespec pause{0, nap_ns};
    nanosleep(&pause, nullptr);
}

void Waiter::end_long_wait() noexcept {
    whereabouts().moved();
    is_long_ = false;
}

}  // namespace shardstone::collectives
