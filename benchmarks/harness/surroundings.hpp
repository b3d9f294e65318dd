// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace shardstone::benchmarks {

/// Share of a measurement's time that may be lost to other programs before it counts as disturbed:
/// the relative precision of measurements (MeasurePolicy), so that smaller losses are
/// indistinguishable from chance.
inline constexpr double disturbance_limit = 0.05;

/// The minimum window for meaningful figures of the kernel, which reports idle and stolen time of a
/// core in steps of 10 ms: two readings of three such figures are 10 ms off in the mean square,
/// which is 2 % of half a second of a core, and less the more cores there are.
inline constexpr double least_window_s = 0.5;

/// Other activity on a machine during a measurement, on the node where it was worst. The ranks' own
/// work never counts, not even if they outnumber the cores and take time from one another.
/// Unavailable values are NaN.
struct Surroundings {
    static constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

    double begin_s = 0.0;   ///< since the watch began
    double window_s = 0.0;  ///< length of the window; it may begin before the measurement
    /// CPU time of all other programs on the cores that the ranks may use, over the total time of
    /// these cores.
    double others_share = not_told;
    /// Longest time over ranks of being runnable but on no core, as far as other programs used the
    /// cores meanwhile, over the window. 0 if ranks outnumber cores: they wait for one another.
    double waiting_share = not_told;
    /// Share of the cores' time that the hypervisor gave to other machines.
    double stolen_share = not_told;
    double switches = not_told;   ///< number of preemptions of all ranks together
    double clock_mhz = not_told;  ///< of the cores, at the end
    int cores = 0;

    /// Whether the system provided enough to decide; false in a sandbox that hides the machine.
    bool known() const;
    /// The largest share that was lost; 0 if nothing is known.
    double worst_share() const;
    bool disturbed() const { return worst_share() > disturbance_limit; }
    /// "others took 97 % of 2 cores", "a rank waited 40 % of the time for a core", ...: the
    /// largest.
    std::string words() const;
    /// All that took something. A share that is 0 was none or not counted, as waiting is not where
    /// ranks outnumber cores: neither is told.
    std::string all_words() const;
};

/// Observations of the rank that watches some of the ranks of a node.
struct NodeReport {
    double kernel =
        -1.0;  ///< a number identifying the kernel that runs them; negative if it is unknown
    double begin_s = 0.0, window_s = 0.0;
    double cores = 0.0, idle_s = 0.0, stolen_s = 0.0;  ///< of all cores that those ranks may use
    double ranks = 0.0, cpu_s = 0.0;                   ///< of those ranks, together
    double longest_waited_s = 0.0, switches = 0.0, clock_mhz = 0.0;
};

/// Evaluates all reports; each share is the maximum over the nodes. Reports on ranks under one
/// kernel (e.g. in containers) have the same other programs, which do not include each other's
/// ranks.
Surroundings judge(const std::vector<NodeReport>& reports);

/// Note for the user below a table of figures: number of disturbed ones, the worst cause, and what
/// to do; empty if there are none, and a warning if nothing could be determined. `figures` has one
/// entry per figure shown; `what` names one ("figure", "point").
std::string disturbance_note(const std::vector<Surroundings>& figures, const std::string& what);

/// The mark after a figure: empty, or "! others took 48 % of 2 cores".
std::string disturbance_mark(const Surroundings& surroundings);

}  // namespace shardstone::benchmarks
