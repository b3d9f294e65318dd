// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/interleaved.hpp"
#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/stall_watch.hpp"
#include "benchmarks/harness/watch.hpp"
#include "collectives/pricing/traffic.hpp"

namespace shardstone::benchmarks {

/// One algorithm at one size. Equal on all ranks, except predicted_s, measured_before_s, the
/// figures derived from them, and reason, which only rank 0 has. Unknown values are NaN.
struct SweepPoint {
    std::string operation;
    std::string algorithm;
    bool in_place = true;
    int ranks = 1;
    std::int64_t size_bytes = 0;  ///< of the whole vector
    std::int64_t count = 0;
    Measurement measurement;
    Watched watched;                   ///< conditions of the measurement that counts
    std::vector<Stall> stalls;         ///< in all its tries, and around them
    std::vector<RankPace> rank_times;  ///< in the measurement that counts
    double predicted_s = 0.0;          ///< by the cost model
    /// For "auto", if used for its choice: the earlier measured time of the chosen algorithm.
    double measured_before_s = std::numeric_limits<double>::quiet_NaN();
    std::string reason;                ///< for "auto", on rank 0: its choice, and why
    double bytes_sent_per_rank = 0.0;  ///< in one run, maximum over ranks
    collectives::Traffic most_sent;    ///< by link class, maximum over ranks by the schedule
    std::int64_t rotated_buffers = 1;
    std::int64_t checked_runs = 0;    ///< the first of them is the last timed iteration
    std::int64_t wrong_elements = 0;  ///< over all ranks and checked runs

    bool disturbed() const { return watched.surroundings.disturbed(); }
    bool passed() const { return checked_runs > 0 && wrong_elements == 0; }
    /// size / time, decimal; NaN on one rank, which sends nothing.
    double algbw_gb_s() const;
    /// algbw times the operation's factor: the rate of the busiest link if the algorithm sends the
    /// minimum volume of the operation, so that it can be compared with the link's own rate for any
    /// P (nccl-tests, doc/PERFORMANCE.md).
    double busbw_gb_s() const;
    /// The time's percentile, if the sample supports it.
    std::optional<double> percentile_s(double p) const;

  private:
    double bytes_per_s() const;
};

/// Difference between the times of one algorithm measured against itself.
struct NoiseFloor {
    std::string operation;
    std::string algorithm;
    bool in_place = true;
    std::int64_t size_bytes = 0;
    std::int64_t iterations_per_round = 0;
    RatioSpread spread;
    Watched watched;
};

struct Sweep {
    std::vector<SweepPoint> points;
    std::vector<NoiseFloor> floors;          ///< with --noise-floor
    std::vector<Surroundings> surroundings;  ///< in order, of every try
    std::size_t planned_points = 0;
    std::size_t finished_before = 0;  ///< of them, by the sweep that this one continues
    bool interrupted = false;         ///< a signal came before the last point was measured

    bool passed() const;
    /// The floor of the same operation, size and place; null if there is none.
    const NoiseFloor* floor_of(const SweepPoint& point) const;
};

/// The fastest of our algorithms at one size, and of the libraries' own.
struct Best {
    const SweepPoint* ours = nullptr;
    const SweepPoint* library = nullptr;
    std::size_t points = 0;  ///< points compared
};

/// Among the points that follow `first` and have its operation, size and place.
Best best_of(const std::vector<SweepPoint>& points, std::size_t first);

}  // namespace shardstone::benchmarks
