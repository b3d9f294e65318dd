// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "collectives/watchdog/judge.hpp"

namespace shardstone::collectives {

/// Ends a job in which a rank has stalled, naming that rank, instead of waiting forever. On every
/// rank a thread publishes heartbeats in shared memory and monitors the other ranks of its node;
/// nodes monitor each other over a channel that needs no MPI (NodeChannel). Ranks publish what they
/// are doing and waiting for (whereabouts.hpp). Once a rank is overdue (Judge), one rank reports on
/// stderr which one, since when, and what all ranks wait for, notes it in the failure log, and the
/// job ends with ExitCode::stalled.
///
/// Time limits, and the last actions of rank 0: last_words.hpp. A rank whose launcher has died is
/// ended likewise, with ExitCode::lost_rank.
///
/// It checks four times a second and costs nothing in between. A single rank is not watched, since
/// none waits for it.
class Watchdog {
  public:
    /// Collective. If the ranks of a node cannot share memory, they are not watched, and one rank
    /// reports it. `launcher`: this process's parent when it began, which may have died since.
    Watchdog(const Communicator& world, StallLimits limits, pid_t launcher);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    /// Local: this rank has ended normally and is no longer watched. Call it after MPI's end, since
    /// others may wait for a rank until then.
    ~Watchdog();

    /// For a rank whose messages fail: ends the job if a process of this node is no more, naming
    /// its rank, which MPI's own message does not. Returns after two seconds if none is. Local, for
    /// the working thread.
    void name_lost_rank();

    /// For a rank that is about to end the job for a reason of its own: rank 0 runs its last words
    /// first. Returns once it has, or after some seconds. Local, for the working thread.
    void announce_end(const std::string& reason);

  private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

}  // namespace shardstone::collectives
