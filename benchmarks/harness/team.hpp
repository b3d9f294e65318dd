// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "benchmarks/harness/stopping.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::benchmarks {

struct Measurement;

/// The processes that measure together, as far as measuring needs to know them: the ranks of a
/// communicator, or those of a program that knows nothing of ours. Every member makes the same
/// calls in the same order.
class Team {
  public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    /// Returns on no member before every member has come.
    virtual void line_up() = 0;
    /// Of each value the maximum over the members, equal on all; all give equally many.
    virtual std::vector<double> maxima(std::span<const double> mine) = 0;
    /// The member's own clock, of which only differences mean anything; a test's stands still.
    virtual double now_s() const { return shardstone::now_s(); }
    /// Whether now_s() is the same clock for all members; equal on all.
    virtual bool one_clock() const { return false; }
};

/// Values that one call of Team::maxima() by measure() may hold, at most.
constexpr std::size_t most_values_compared = 4 * 64 + 1;

/// measure() of measure.hpp, which has the rule, for any team.
Measurement measure(Team& team, const MeasurePolicy& policy, const std::function<void()>& run,
                    const std::function<void()>& prepare = {});

}  // namespace shardstone::benchmarks
