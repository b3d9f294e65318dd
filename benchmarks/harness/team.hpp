// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "benchmarks/harness/stopping.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::benchmarks {

struct Measurement;

/// The processes that measure together, as an interface for the measurement: the ranks of a
/// communicator, or the processes of an independent program. Every member makes the same calls in
/// the same order.
class Team {
  public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    /// Returns on no member before every member has arrived.
    virtual void line_up() = 0;
    /// Maximum over the members of each value, equal on all; all pass the same number of values.
    virtual std::vector<double> maxima(std::span<const double> mine) = 0;
    /// The member's own clock, of which only differences are meaningful; that of a test does not
    /// advance.
    virtual double now_s() const { return shardstone::now_s(); }
    /// Whether now_s() is the same clock for all members; equal on all.
    virtual bool one_clock() const { return false; }
};

/// Maximum number of values in one call of Team::maxima() by measure().
constexpr std::size_t most_values_compared = 4 * 64 + 1;

/// measure() for any team; see measure.hpp for the rule.
Measurement measure(Team& team, const MeasurePolicy& policy, const std::function<void()>& run,
                    const std::function<void()>& prepare = {});

}  // namespace shardstone::benchmarks
