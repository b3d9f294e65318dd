// SPDX-License-Identifier: BSD-3-Clause
// A waiting rank spins, yields and at last naps, as the cores that it shares with others allow.
#include "collectives/cluster/waiting.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>

#include "collectives/cluster/long_waits.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

// With a core of its own a rank may spin this many looks (about 0.2 us each) before it yields:
// longer than a message takes inside a node, shorter than a scheduler slice.
constexpr std::int64_t spins_with_own_core = 2000;
// Yields before the first nap: some 5 ms on a free core. A yield among runnable neighbours costs
// their time slices, milliseconds each, so that a count alone would take minutes on a busy machine:
// whoever has yielded for so long naps, too.
constexpr std::int64_t yields_before_nap = 20000;
constexpr double yielding_before_nap_s = 0.1;
// The clock is looked at with every eighth yield (5 ns beside eight system calls of 200 ns at
// least), so that a wait that is over before pays nothing, and a busy machine is found out soon.
constexpr std::int64_t yields_between_looks = 8;
constexpr long nap_ns = 20000;

std::atomic<std::int64_t> spins{0};
std::atomic<int> sharers{1};

/// To some milliseconds, which is a quarter of the cost.
double coarse_clock_s() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Whether a wait that has yielded so often does so for long. A wait inside another one, of which
/// there is hardly any, has the outer one count from itself.
bool has_yielded_for_long(std::int64_t yields) {
    thread_local double since_s = 0.0;
    if (yields % yields_between_looks != 0) return false;
    const double time_s = coarse_clock_s();
    if (yields == yields_between_looks) since_s = time_s;
    return time_s - since_s > yielding_before_nap_s;
}

}  // namespace

void Waiter::configure(int ranks, int cores) {
    spins = ranks <= cores ? spins_with_own_core : 0;
    sharers = std::max(1, (ranks + cores - 1) / std::max(1, cores));
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
    const std::int64_t yields = empty_looks_ - spins;
    if (yields > yields_before_nap || is_long_ || has_yielded_for_long(yields)) return nap();
    sched_yield();
}

void Waiter::nap() {
    // Also anew, where something else has moved meanwhile.
    if (!whereabouts().is_waiting())
        whereabouts().waits(what_ != nullptr ? what_->waits_for() : "messages");
    if (!is_long_) LongWaits::begin(what_);
    is_long_ = true;
    const timespec pause{0, nap_ns};
    nanosleep(&pause, nullptr);
}

void Waiter::end_long_wait() noexcept {
    whereabouts().moved();
    LongWaits::end();
    is_long_ = false;
}

}  // namespace shardstone::collectives
