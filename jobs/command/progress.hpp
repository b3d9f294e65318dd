// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace shardstone::command {

/// Prints the current activity and its progress on stderr every few seconds, so that a command that
/// takes minutes is not silent: also during long pieces of work, when a separate thread repeats the
/// last message. Short commands print nothing.
class ProgressLine {
  public:
    /// `speaks`: usually true on one rank only. `what` is the first activity.
    ProgressLine(bool speaks, std::string what);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Whether say() would print now: for loops whose steps are too short to compose a text for
    /// each.
    bool due();
    /// Sets the current activity. Prints the line with the elapsed seconds, unless the last one was
    /// too recent.
    void say(const std::string& what);
    /// The same, if the user has just been informed on stdout.
    void told(const std::string& what);

  private:
    void repeat();
    void print();

    const double begin_s_;
    std::mutex mutex_;  ///< of all below
    std::condition_variable ended_;
    std::string what_;
    double last_s_;
    bool ends_ = false;
    std::thread
        thread_;  ///< last, so that the others exist when it starts; none if it does not print
};

}  // namespace shardstone::command
