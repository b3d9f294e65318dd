// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// Seconds that a thread was runnable, but on no core, from the text of its schedstat; NaN if
/// unavailable. Pure.
double waited_s_in(const char* schedstat);

/// The kernel's account of how long the thread that made this object was ready to run, but had no
/// core. A reading costs about a microsecond.
class RunDelay {
  public:
    RunDelay();
    RunDelay(const RunDelay&) = delete;
    RunDelay& operator=(const RunDelay&) = delete;
    ~RunDelay();

    /// Seconds since the thread's start; NaN where the kernel does not tell.
    double waited_s() const;

  private:
    int file_;
};

}  // namespace shardstone
