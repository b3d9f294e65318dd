// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace shardstone::reference {

/// How long a rank that waits for its GPU's graph is taken to move. A graph tells nothing of how
/// far it is, so a step that is one could be called stalled for no other reason than that it is
/// long. It is given ten times as long as the longest step so far, as the watchdog gives to pauses;
/// only then the watchdog's own limit begins.
class GraphPatience {
  public:
    explicit GraphPatience(double longest_step_s) : left_s_(10.0 * longest_step_s) {}

    /// To be asked again and again, `since_last_s` after the last time; of a longer time (the rank
    /// was stopped, or the machine slept) half a second counts.
    bool moves(double since_last_s) {
        left_s_ -= std::min(since_last_s, 0.5);
        return left_s_ > 0.0;
    }

  private:
    double left_s_;
};

}  // namespace shardstone::reference
