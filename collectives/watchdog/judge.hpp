// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace shardstone::collectives {

/// Time limits for waiting for ranks, in seconds during which the watching rank itself was awake: a
/// suspended machine, or a job stopped as a whole, is not late.
struct StallLimits {
    double ended_s = 3.0;     ///< a process that is no more; mpiexec ends the job in a second
    double stopped_s = 5.0;   ///< a stopped process (SIGSTOP)
    double frozen_s = 30.0;   ///< a process that does nothing, for an unknown reason
    double silent_s = 6.0;    ///< a node that sends nothing
    double standing_s = 100;  ///< all ranks wait or sleep, and none makes progress
    /// The last limit grows to ten times the longest pause from which the run has recovered.
    bool follows_pace = true;

    /// --stall-after SECONDS: the same value for all, but none waits longer for what has ended.
    static StallLimits all(double seconds) {
        const double ended_s = std::min(seconds, StallLimits{}.ended_s);
        return {ended_s, seconds, seconds, seconds, seconds, false};
    }
};

/// Observation of a rank of this node.
struct Sight {
    std::int64_t heartbeat = 0;
    std::int64_t moves = 0;
    std::int64_t cpu_ns = 0;
    /// It waits for others, or is inside a library that does: its CPU time is no sign of work.
    bool waits = false;
    bool left = false;
    /// As in /proc/PID/stat: 'T' stopped, 't' held by a debugger, 'D' waits for a disk, 'Z' and 'X'
    /// ended; ' ' if not examined.
    char process_state = ' ';
};

/// A stall: ranks make no progress.
struct Stall {
    enum class Kind : std::uint8_t {
        ended,     ///< `ranks` are no processes any more
        stopped,   ///< `ranks` are stopped processes
        frozen,    ///< `ranks` show no sign of life
        silent,    ///< the node of `ranks` sends nothing
        standing,  ///< no rank moves; `ranks` are those that do not wait for others
    };
    Kind kind;
    std::vector<int> ranks;
    double for_s = 0.0;  ///< the first of them, or all
};

/// Decides from observations of the ranks of a node, several times a second, whether one of them
/// has stalled. Local, without a clock of its own or system calls.
class Judge {
  public:
    Judge(int ranks, StallLimits limits);

    /// Takes the current observations, `since_last_s` after the previous ones. A late observation
    /// counts as half a second at most: a watcher that was itself delayed cannot judge the others.
    void look(double since_last_s, std::span<const Sight> sights);

    /// Messages of this rank have failed: a process that is no more is the reason, and is named as
    /// soon as it is seen.
    void note_failed_messages() { messages_fail_ = true; }

    /// Whether a rank has shown no sign of life for a while, so that its process state should be
    /// examined.
    bool is_suspect(int rank) const;
    /// The last sign of life, as long as this ago.
    double lifeless_s(int rank) const;
    /// Time for which no rank of this node has moved or worked; 0 if one is held by a debugger,
    /// infinite if all have left.
    double standing_s() const;
    /// The same for one rank.
    double idle_s(int rank) const;
    /// Time for which all ranks of all nodes may make no progress.
    double may_stand_s() const;
    /// Time for which none of them has moved, if longer than allowed; `others_s` is standing_s() of
    /// the other nodes. Empty if all have left, as at the end of every run: none is late then.
    std::optional<double> overdue_s(double others_s) const;

    /// Ended, stopped or frozen ranks of this node: the first of these that there are.
    std::optional<Stall> lifeless() const;
    /// Ranks of this node that do not wait for others.
    std::vector<int> not_waiting() const;

  private:
    struct Seen {
        Sight last;
        double alive_s = 0.0;   ///< when its heart beat last
        double active_s = 0.0;  ///< when it last moved or worked
    };
    bool held_by_debugger() const;

    StallLimits limits_;
    double awake_s_ = 0.0;
    double longest_pause_s_ = 0.0;
    std::vector<Seen> seen_;
    bool messages_fail_ = false;
};

}  // namespace shardstone::collectives
