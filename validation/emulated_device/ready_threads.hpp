// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

/// The threads of a block that can go on, in the order in which they do.
class ReadyThreads {
  public:
    void begin(ThreadOrder order) {
        order_ = order;
        threads_.clear();
    }
    bool empty() const { return threads_.empty(); }

    void add(unsigned thread) {
        threads_.push_back(thread);
        if (order_ == ThreadOrder::forward) std::ranges::push_heap(threads_, std::greater{});
        if (order_ == ThreadOrder::reverse) std::ranges::push_heap(threads_);
    }

    unsigned take() {
        if (order_ == ThreadOrder::forward) {
            std::ranges::pop_heap(threads_, std::greater{});
        } else if (order_ == ThreadOrder::reverse) {
            std::ranges::pop_heap(threads_);
        } else {
            std::swap(threads_[random_numbers()() % threads_.size()], threads_.back());
        }
        const unsigned thread = threads_.back();
        threads_.pop_back();
        return thread;
    }

  private:
    ThreadOrder order_ = ThreadOrder::forward;
    std::vector<unsigned> threads_;
};

}  // namespace shardstone::emulated
