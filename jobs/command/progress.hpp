// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace shardstone::command {

/// Says on stderr what is being done and how far it is, every few seconds, so that a command that
/// takes minutes is not mute: also in the middle of a piece of work that takes long, where a thread
/// of its own repeats what was said last. Short commands never say anything.
class ProgressLine {
  public:
    /// `speaks`: on one rank only, as a rule. `what` is done first.
    ProgressLine(bool speaks, std::string what);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Whether say() would print now: for a loop whose steps are too short to make a text for each.
    bool due();
    /// What is done from now on. Prints the line with the seconds so far, unless the last one was
    /// less than a while ago.
    void say(const std::string& what);
    /// The same, where the user has just been told on stdout.
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
        thread_;  ///< last, so that it finds the others there; none where it is not to speak
};

}  // namespace shardstone::command
