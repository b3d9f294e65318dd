// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/watchdog/judge.hpp"

namespace shardstone::collectives {

/// Watches the ranks of this node during start-up, from before MPI's start until they have a
/// Watchdog: without shared memory they know of each other only as children of one launcher. When
/// one of them is stopped, or the start takes three times StallLimits::standing_s (exactly that if
/// the user gave it), one rank reports it and the job ends with ExitCode::stalled; when one of them
/// or the launcher has ended, with ExitCode::lost_rank (launchers do not notice a process that ends
/// before it has called MPI, and the others would wait for it).
class StartGuard {
  public:
    /// `launcher`: this process's parent when it began.
    StartGuard(StallLimits limits, pid_t launcher);
    StartGuard(const StartGuard&) = delete;
    StartGuard& operator=(const StartGuard&) = delete;
    ~StartGuard();

  private:
    void watch();
    void look(double since_last_s);

    const StallLimits limits_;
    const pid_t launcher_;
    double awake_s_ = 0.0;
    double incomplete_s_ = 0.0;                      ///< for how long ranks have been gone
    std::vector<std::pair<int, double>> stopped_s_;  ///< by process, for how long
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ends_ = false;
    std::thread thread_;  ///< last, so that it finds the others there
};

}  // namespace shardstone::collectives
