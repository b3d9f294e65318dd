// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/harness/pulse.hpp"

namespace shardstone::benchmarks {

/// Position of an event in a series of timed iterations.
struct Occasion {
    std::int64_t iteration = -1;  ///< in it, or before its start; -1: not within the series
    bool timed = false;           ///< whether it was in the timed part

    bool operator==(const Occasion&) const = default;
};

/// Position of a process's standstill within its own iterations (begin and end of each by its own
/// clock). The window in which it was seen may contain thousands of iterations: the one with the
/// longest overlap counts.
Occasion occasion_of(const Standstill& seen, std::span<const double> begin_s,
                     std::span<const double> end_s);

/// A standstill of one rank of a team.
struct RankStandstill {
    int rank = 0;
    int node = 0;  ///< by whose clock it is measured
    Occasion occasion;
    Standstill seen;
};

/// A sample beyond the limit of its distribution, or a standstill outside of all samples.
struct Outlier {
    /// No rank can be named as standing still, or the whole node did.
    static constexpr int nobody = -1;

    Occasion occasion;
    int rank = nobody;
    int node = -1;          ///< that stood still, or whose rank did; -1: not known
    double time_s = 0.0;    ///< of the sample; NaN outside of the series
    double usual_s = 0.0;   ///< median of the samples; NaN without any
    Standstill standstill;  ///< the longest; of length 0 if none was seen

    bool stood_still() const { return standstill.still_s > 0.0; }
    /// All its ranks stood still, or the hypervisor took the cores from one.
    bool whole_node() const { return rank == nobody && node >= 0; }
};

/// The longest sample accepted as one of this distribution; infinite with fewer than ten.
///
///     median + max(3 median, 40 (Q3 - median), 40 ms max(1, ranks per core))
///
/// For times with an exponential or lighter tail every further Q3 - median halves the fraction
/// beyond, so that one sample in 2^41 lies beyond the second term. Tails caused by schedulers are
/// heavier: a rank waits for a core for as many slices as other ranks share it (up to 4 ms each
/// with a tick of 250 Hz), and a few times per algorithm. Samples of two ranks on two cores next to
/// compilers that took 75 % of these were at most 18 ms above their median (230 points); the third
/// term leaves a factor of two, for each rank that shares the core. The first allows for the spread
/// that ten samples underestimate: of 10 000 synthetic series of each of six kinds none raises an
/// alarm (outliers_test). This rule is for samples not explained by a standstill; standstills are
/// distinguished from waiting for a core by the kernel's accounting, so that they need no such
/// margin.
double longest_usual_s(std::span<const double> samples_s, double ranks_per_core);

/// All outliers of a series, in order of iterations: each standstill within it (regardless of its
/// effect on the sample, since no scheduler explains it), those outside, and samples beyond
/// longest_usual_s() in and before which no rank stood still. If all ranks of a node, or as many as
/// it has cores, two or more, stood still at once, or the hypervisor stole at least half the
/// duration of a rank's standstill from the machine's cores, the node is named instead of them.
/// `ranks_of_node[n]` ranks are on node n, of which the fullest has `ranks_per_core`. Pure.
std::vector<Outlier> outliers_of(std::span<const double> samples_s,
                                 const std::vector<RankStandstill>& seen,
                                 std::span<const int> ranks_of_node, double ranks_per_core);

}  // namespace shardstone::benchmarks
