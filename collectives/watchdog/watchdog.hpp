// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "collectives/watchdog/judge.hpp"

namespace shardstone::collectives {

/// Sees to it that a job in which a rank does not go on ends, and says which one, instead of being
/// waited for. On every rank a thread shows in shared memory that it lives and looks after the
/// other ranks of its node, and the nodes hear of each other over a channel that needs no MPI
/// (NodeChannel). What ranks work at and wait for they show themselves (whereabouts.hpp). Once
/// somebody is overdue (Judge), one rank says on stderr who, since when, and what everyone waits
/// for, notes it in the failure log, and the job ends with ExitCode::stalled.
///
/// How long ranks are waited for, and what rank 0 does at the end: last_words.hpp.
/// A rank whose launcher has died is ended likewise, with ExitCode::lost_rank.
///
/// It looks four times a second and costs nothing in between. A rank alone has nobody who waits.
class Watchdog {
  public:
    /// Collective. Where the ranks of a node cannot share memory, nobody watches, and one rank says
    /// so. `launcher`: this process's parent when it began, which may have died since.
    Watchdog(const Communicator& world, StallLimits limits, pid_t launcher);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    /// Local: this rank has ended well, and is watched no longer. After MPI's end, since a rank may
    /// be waited for until then.
    ~Watchdog();

    /// Of a rank that is about to end the job for a reason of its own: rank 0 says its last words
    /// first. Returns once it has, or after some seconds. Local, for the thread that works.
    void announce_end(const std::string& reason);

  private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

}  // namespace shardstone::collectives
