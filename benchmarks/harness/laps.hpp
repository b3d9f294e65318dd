// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "benchmarks/harness/stopping.hpp"
#include "benchmarks/harness/team.hpp"

namespace shardstone::benchmarks {

/// Times of iterations, equal on all members of the team but for what is a member's own; one number
/// per iteration in each vector.
struct Laps {
    /// Maximum over members of the time from their own start to their own end.
    std::vector<double> since_own_start_s;
    /// From the moment the last member starts until the last one ends; empty without one clock.
    std::vector<double> since_last_start_s;
    /// From the first member's start to the last one's; empty without one clock.
    std::vector<double> skew_s;
    /// This member's own start and end, by its clock, and how long after the first member it
    /// started; the latter is empty without one clock.
    std::vector<double> own_begin_s, own_end_s, own_late_s;

    void append(const Laps& newer);
    /// The times that a measurement of this kind goes by.
    const std::vector<double>& times_s(TimeFrom from) const;
};

/// What is timed, and what puts things in order before, outside the time; the latter may be empty.
struct Work {
    std::function<void()> run;
    std::function<void()> prepare;
};

/// Runs iterations, each after a common start, and keeps what all members agree on.
class Stopwatch {
  public:
    /// The team must outlive this object.
    explicit Stopwatch(Team& team);

    /// Iterations that batch() takes at most.
    static constexpr std::int64_t most_in_batch = 64;

    /// Collective. The members compare clocks once, at the end.
    Laps batch(std::int64_t iterations, const Work& work);

    /// Since construction up to the last batch's end, the maximum over members.
    double elapsed_s() const { return elapsed_s_; }

  private:
    Laps laps_of(const std::vector<double>& mine, const std::vector<double>& maxima,
                 std::size_t iterations) const;

    Team& team_;
    double start_s_;
    double elapsed_s_ = 0.0;
};

}  // namespace shardstone::benchmarks
