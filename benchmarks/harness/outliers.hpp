// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/harness/pulse.hpp"

namespace shardstone::benchmarks {

/// Where in a series of timed iterations something happened.
struct Occasion {
    std::int64_t iteration = -1;  ///< in it, or before it began; -1: not within the series
    bool timed = false;           ///< in it

    bool operator==(const Occasion&) const = default;
};

/// Where in its own iterations (begin and end of each by its own clock) a process stood still. The
/// times that it was seen in may hold thousands of them before: it was the longest part.
Occasion occasion_of(const Standstill& seen, std::span<const double> begin_s,
                     std::span<const double> end_s);

/// A standstill of one rank of a team.
struct RankStandstill {
    int rank = 0;
    int node = 0;  ///< whose clock it is told by
    Occasion occasion;
    Standstill seen;
};

/// A sample that is beyond what its distribution allows, or a standstill outside of all samples.
struct Outlier {
    /// Nobody stood still that could be named, or the whole node did.
    static constexpr int nobody = -1;

    Occasion occasion;
    int rank = nobody;
    int node = -1;          ///< that stood still, or whose rank did; -1: not known
    double time_s = 0.0;    ///< of the sample; not a number outside of the series
    double usual_s = 0.0;   ///< median of the samples; not a number without any
    Standstill standstill;  ///< the longest; of length 0 where none was seen

    bool stood_still() const { return standstill.still_s > 0.0; }
    /// All its ranks stood still, or the hypervisor took the cores from one.
    bool whole_node() const { return rank == nobody && node >= 0; }
};

/// The longest sample that passes for one of this distribution; infinite with fewer than ten.
///
///     median + max(3 median, 40 (Q3 - median), 40 ms max(1, ranks per core))
///
/// Of times whose tail is exponential or lighter every further Q3 - median halves what is beyond,
/// so one sample in 2^41 lies beyond the second term. Heavier are the tails that schedulers make: a
/// rank waits for a core for so many slices as other ranks share it (up to 4 ms each with a tick of
/// 250 Hz), and of its turn in an algorithm a few times. Samples of two ranks on two cores beside
/// compilers that took 75 % of these were at most 18 ms above their median (230 points); the third
/// term leaves a factor of two, for each rank that shares the core. The first leaves room for the
/// spread that ten samples underestimate: of 10 000 made-up series of each of six kinds none
/// raises an alarm (outliers_test). That is the rule for what no standstill explains; these are
/// told from waiting for a core by the kernel's own account, so they need no such room.
double longest_usual_s(std::span<const double> samples_s, double ranks_per_core);

/// All outliers of a series, in order of iterations: each standstill within it (whatever it did to
/// its sample, since no scheduler explains it), those outside, and samples beyond
/// longest_usual_s() in and before which nobody stood still. Where all ranks of a node, or as
/// many as it has cores, two or more, stood still at once, or the hypervisor took at least half as
/// long of the machine's cores as a rank stood still, the node is named instead of them.
/// `ranks_of_node[n]` ranks are on node n, of which the fullest has `ranks_per_core`. Pure.
std::vector<Outlier> outliers_of(std::span<const double> samples_s,
                                 const std::vector<RankStandstill>& seen,
                                 std::span<const int> ranks_of_node, double ranks_per_core);

}  // namespace shardstone::benchmarks
