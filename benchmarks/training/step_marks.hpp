// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <vector>

#include "kernels/base/clock.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/queue_marks.hpp"

namespace shardstone::benchmarks {

/// QueueMarks of the host, whose queue has run all that was enqueued.
class HostMarks {
  public:
    explicit HostMarks(HostQueue) {}

    void set() { times_s_.push_back(now_s()); }
    void clear() noexcept { times_s_.clear(); }
    /// Seconds from each mark to the next one, in the order in which they were set.
    std::vector<double> intervals_s() const {
        std::vector<double> passed_s;
        for (std::size_t i = 1; i < times_s_.size(); ++i) {
            passed_s.push_back(times_s_[i] - times_s_[i - 1]);
        }
        return passed_s;
    }

  private:
    std::vector<double> times_s_;
};

/// Marks in the queue of a memory space.
template <class Space>
using MarksOf = std::conditional_t<std::is_same_v<Space, Cuda>, QueueMarks, HostMarks>;

}  // namespace shardstone::benchmarks
