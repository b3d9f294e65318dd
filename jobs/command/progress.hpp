// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::command {

/// Says on stderr what is being done and how far it is, every few seconds, so that a command that
/// takes minutes is not mute. Short ones never say anything.
class ProgressLine {
  public:
    /// `speaks`: on one rank only, as a rule.
    explicit ProgressLine(bool speaks);

    /// Prints the line with the seconds so far, unless the last one was less than a while ago.
    void say(const std::string& what);

  private:
    bool speaks_;
    double begin_s_;
    double last_s_;
};

}  // namespace shardstone::command
