// SPDX-License-Identifier: BSD-3-Clause
// The long waits of a thread, noted by the Waiter that naps in them.
#include "collectives/cluster/long_waits.hpp"

#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

thread_local LongWaits* of_thread = nullptr;

}  // namespace

LongWaits::LongWaits(double least_s) : least_s_(least_s) {
    SHARDSTONE_EXPECTS(of_thread == nullptr);
    of_thread = this;
}

LongWaits::~LongWaits() {
    of_thread = nullptr;
}

std::vector<LongWait> LongWaits::take() {
    return std::exchange(seen_, {});
}

void LongWaits::enter_stage(std::int64_t number, std::span<const int> ranks) {
    if (of_thread == nullptr) return;
    of_thread->stage_ = number;
    of_thread->step_ = 0;
    of_thread->ranks_ = ranks;
}

void LongWaits::next_step() {
    if (of_thread != nullptr) ++of_thread->step_;
}

void LongWaits::begin(const Awaited* what) {
    if (of_thread == nullptr) return;
    LongWaits& log = *of_thread;
    const auto* one = dynamic_cast<const AwaitedRank*>(what);
    const int awaited = one == nullptr ? -1 : one->rank_awaited();
    const bool is_known = awaited >= 0 && !log.ranks_.empty();
    log.under_way_ = {is_known ? log.ranks_[static_cast<std::size_t>(awaited)] : awaited,
                      log.stage_,
                      log.step_,
                      now_s(),
                      0.0,
                      0.0};
    log.no_core_before_s_ = log.run_delay_.waited_s();
}

void LongWaits::end() {
    if (of_thread == nullptr) return;
    LongWaits& log = *of_thread;
    log.under_way_.end_s = now_s();
    if (log.under_way_.end_s - log.under_way_.begin_s < log.least_s_) return;
    log.under_way_.no_core_s = log.run_delay_.waited_s() - log.no_core_before_s_;
    log.seen_.push_back(log.under_way_);
}

}  // namespace shardstone::collectives
