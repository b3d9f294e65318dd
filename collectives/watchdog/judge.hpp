// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace shardstone::collectives {

/// How long ranks are waited for. In seconds during which the one who watches was awake itself: a
/// machine that is suspended, or a job that is stopped as a whole, is not late.
struct StallLimits {
    double stopped_s = 5.0;   ///< a process that somebody stopped (SIGSTOP)
    double frozen_s = 30.0;   ///< one that does nothing at all, nobody knows why
    double silent_s = 6.0;    ///< a node from which nothing is heard
    double standing_s = 100;  ///< all ranks wait or sleep, and none goes on
    /// The last of these grows to ten times the longest pause that the run has made and gone on
    /// from.
    bool follows_pace = true;

    /// --stall-after SECONDS: all of them this.
    static StallLimits all(double seconds) { return {seconds, seconds, seconds, seconds, false}; }
};

/// What is seen of a rank of this node at a look.
struct Sight {
    std::int64_t heartbeat = 0;
    std::int64_t moves = 0;
    std::int64_t cpu_ns = 0;
    /// It waits for others, or is inside a library that does: its CPU time is no sign of work.
    bool waits = false;
    bool left = false;
    /// As /proc/PID/stat has it: 'T' stopped, 't' held by a debugger, 'D' waits for a disk; ' '
    /// when nobody looked.
    char process_state = ' ';
};

/// Somebody does not go on.
struct Stall {
    enum class Kind : std::uint8_t {
        stopped,   ///< `ranks` are stopped processes
        frozen,    ///< `ranks` show no sign of life
        silent,    ///< nothing is heard from the node of `ranks`
        standing,  ///< no rank moves; `ranks` are those that wait for nobody
    };
    Kind kind;
    std::vector<int> ranks;
    double for_s = 0.0;  ///< the first of them, or all
};

/// Tells from what is seen of the ranks of a node, several times a second, whether one of them does
/// not go on. Local, no clock of its own, no system calls.
class Judge {
  public:
    Judge(int ranks, StallLimits limits);

    /// What is seen now, `since_last_s` after the last look. A look that comes late counts as half
    /// a second at most: whoever was kept from looking cannot tell how the others fared.
    void look(double since_last_s, std::span<const Sight> sights);

    /// A rank that has shown no sign of life for a while: its process state is worth knowing.
    bool is_suspect(int rank) const;
    /// The last sign of life, as long as this ago.
    double lifeless_s(int rank) const;
    /// For how long no rank of this node has moved or worked; 0 where one is held by a debugger,
    /// infinite when all have left.
    double standing_s() const;
    /// For how long this one has not.
    double idle_s(int rank) const;
    /// How long all ranks of all nodes may stand.
    double may_stand_s() const;
    /// For how long none of them has moved, where that is longer; `others_s` is standing_s() of the
    /// other nodes. Nothing where all have left, as at the end of every run: nobody is late then.
    std::optional<double> overdue_s(double others_s) const;

    /// Stopped or frozen ranks of this node.
    std::optional<Stall> lifeless() const;
    /// Those of this node that wait for nobody.
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
};

}  // namespace shardstone::collectives
