// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "benchmarks/harness/stopping.hpp"
#include "benchmarks/harness/team.hpp"

namespace shardstone::benchmarks {

/// Times of iterations, equal on all members of the team except for a member's own times; one
/// number per iteration in each vector.
struct Laps {
    /// Maximum over members of the time from their own start to their own end.
    std::vector<double> since_own_start_s;
    /// From the moment the last member starts until the last one ends; empty without a common
    /// clock.
    std::vector<double> since_last_start_s;
    /// From the first member's start to the last one's; empty without a common clock.
    std::vector<double> skew_s;
    /// This member's own start and end, by its clock, and how long after the first member it
    /// started; the latter is empty without a common clock.
    std::vector<double> own_begin_s, own_end_s, own_late_s;

    void append(const Laps& newer);
    /// The times used by a measurement of this kind.
    const std::vector<double>& times_s(TimeFrom from) const;
};

/// The timed work, and its untimed preparation; the latter may be empty.
struct Work {
    std::function<void()> run;
    std::function<void()> prepare;
};

/// Runs iterations, each after a common start, and collects times agreed by all members.
class Stopwatch {
  public:
    /// The team must outlive this object.
    explicit Stopwatch(Team& team);

    /// Maximum number of iterations of batch().
    static constexpr std::int64_t most_in_batch = 64;

    /// Collective. The members compare clocks once, at the end.
    Laps batch(std::int64_t iterations, const Work& work);

    /// Time from construction to the end of the last batch, the maximum over members.
    double elapsed_s() const { return elapsed_s_; }

  private:
    Laps laps_of(const std::vector<double>& mine, const std::vector<double>& maxima,
                 std::size_t iterations) const;

    Team& team_;
    double start_s_;
    double elapsed_s_ = 0.0;
};

}  // namespace shardstone::benchmarks
