// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "benchmarks/harness/team.hpp"

namespace shardstone::validation {

/// What the members of a team of threads have in common.
struct VirtualMeeting {
    explicit VirtualMeeting(int size)
        : said(static_cast<std::size_t>(size)), all(static_cast<std::ptrdiff_t>(size)) {}

    std::vector<std::vector<double>> said;
    std::barrier<> all;
};

/// A member whose clock moves only when it is told to: in work that it passes, and when it comes
/// off the start line `late_s` after the first could. All clocks show the same time, unless the
/// team is said to have none in common: then each is off by a number of its own.
class VirtualMember : public benchmarks::Team {
  public:
    VirtualMember(VirtualMeeting& meeting, int rank, double late_s, bool one_clock = true)
        : meeting_(meeting),
          rank_(static_cast<std::size_t>(rank)),
          late_s_(late_s),
          one_clock_(one_clock),
          now_s_(one_clock ? 1000.0 : 1000.0 * (rank + 1)) {}

    void pass(double time_s) { now_s_ += time_s; }

    /// All come off it when the last has come, each so late as it is.
    void line_up() override {
        const double start_s = maxima(std::vector{now_s_}).front();
        now_s_ = (one_clock_ ? start_s : now_s_) + late_s_;
    }
    std::vector<double> maxima(std::span<const double> mine) override {
        meeting_.said[rank_].assign(mine.begin(), mine.end());
        meeting_.all.arrive_and_wait();
        std::vector<double> largest(mine.begin(), mine.end());
        for (const auto& values : meeting_.said) {
            std::ranges::transform(values, largest, largest.begin(), std::ranges::max);
        }
        meeting_.all.arrive_and_wait();
        return largest;
    }
    double now_s() const override { return now_s_; }
    bool one_clock() const override { return one_clock_; }

  private:
    VirtualMeeting& meeting_;
    std::size_t rank_;
    double late_s_;
    bool one_clock_;
    double now_s_;
};

/// Runs `body` on so many threads that stand for ranks.
inline void run_virtual_team(int size, const std::function<void(VirtualMeeting&, int)>& body) {
    VirtualMeeting meeting(size);
    std::vector<std::thread> members;
    for (int rank = 0; rank < size; ++rank) {
        members.emplace_back([&, rank] { body(meeting, rank); });
    }
    for (std::thread& member : members) member.join();
}

}  // namespace shardstone::validation
