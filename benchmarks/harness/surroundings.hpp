// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace shardstone::benchmarks {

/// Share of a measurement's time that may be lost to others before it counts as disturbed: the
/// relative precision to which measurements are taken (MeasurePolicy), so that what is lost below
/// it cannot be told from chance.
inline constexpr double disturbance_limit = 0.05;

/// The least time over which the kernel's figures say something. It tells idle and stolen time of a
/// core in steps of 10 ms: two readings of three such figures are 10 ms off in the mean square,
/// which is 2 % of half a second of a core, and less the more cores there are.
inline constexpr double least_window_s = 0.5;

/// What else happened on a machine while something was measured, on the node where it was worst.
/// The ranks' own work never counts, not even where they outnumber the cores and take time from one
/// another. What the system does not tell is not a number.
struct Surroundings {
    static constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

    double begin_s = 0.0;   ///< since the watch began
    double window_s = 0.0;  ///< how long was looked; it may begin before the measurement
    /// CPU time of all others on the cores that the ranks may use, over all time of these cores.
    double others_share = not_told;
    /// Longest time that any rank was ready to run but on no core, as far as others used the cores
    /// meanwhile, over the window. 0 where ranks outnumber cores: they wait for one another.
    double waiting_share = not_told;
    /// Time of the cores that the hypervisor gave to other machines.
    double stolen_share = not_told;
    double switches = not_told;   ///< times that a rank had to leave a core, all ranks together
    double clock_mhz = not_told;  ///< of the cores, at the end
    int cores = 0;

    /// Whether the system told enough to say so; false in a sandbox that hides the machine.
    bool known() const;
    /// The largest share that was lost; 0 where nothing is known.
    double worst_share() const;
    bool disturbed() const { return worst_share() > disturbance_limit; }
    /// "others took 97 % of 2 cores", "a rank waited 40 % of the time for a core", ...: the
    /// largest.
    std::string words() const;
};

/// What one who looked over some of the ranks of a node saw.
struct NodeReport {
    double kernel =
        -1.0;  ///< a number that stands for the kernel that runs them; negative: unknown
    double begin_s = 0.0, window_s = 0.0;
    double cores = 0.0, idle_s = 0.0, stolen_s = 0.0;  ///< of all cores that those ranks may use
    double ranks = 0.0, cpu_s = 0.0;                   ///< of those ranks, together
    double longest_waited_s = 0.0, switches = 0.0, clock_mhz = 0.0;
};

/// From the reports of all who looked; of each share the largest over the nodes. Those who looked
/// at ranks under one kernel (as containers have it) have the same others, and one another's ranks
/// are none of them.
Surroundings judge(const std::vector<NodeReport>& reports);

/// What the user reads below a table of figures: how many were disturbed, by what at worst, and
/// what to do; empty where none was, and a word of warning where nothing could be known. `figures`
/// are those shown, one for each; `what` names one ("figure", "point").
std::string disturbance_note(const std::vector<Surroundings>& figures, const std::string& what);

/// The mark behind a figure: empty, or "! others took 48 % of 2 cores".
std::string disturbance_mark(const Surroundings& surroundings);

}  // namespace shardstone::benchmarks
