// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// One message of a schedule, both ends together.
struct DrawnMessage {
    int step = 0;
    int channel = 0;
    int from = 0;
    int to = 0;
    bool reduces = false;  ///< whether any part of it is reduced at the receiver
    double vectors = 0.0;  ///< its length in vectors
    std::string blocks;    ///< blocks sent by the schedule: "0–3" or "6–7,0"
    std::string content;   ///< what that is: the same, or where data moves between blocks, whose
                           ///< share for whom it is: "0→3, 1→3"; of a pattern the first sender
};

/// All messages, sorted by step, channel, sender, receiver. The schedule has passed the checker.
std::vector<DrawnMessage> messages_of(const Schedule& schedule);

/// A vector whose blocks all have the same length, for counting in vectors.
CollectiveSpec evenly_cut_vector(const Schedule& schedule);

}  // namespace shardstone::collectives
