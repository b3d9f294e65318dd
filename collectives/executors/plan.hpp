// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/executors/executor.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// One message of a program, with its place in the vector worked out.
struct Transfer {
    ActionKind kind = ActionKind::send;
    int peer = 0;
    int channel = 0;
    std::int64_t offset_bytes = 0;
    std::int64_t size_bytes = 0;
    std::int64_t scratch_bytes = 0;  ///< where a receive_reduce lands in the scratch
    bool after_sends = false;        ///< reduces into what a send of the same step still reads
};

/// A program made ready for vectors of one length: empty messages and steps are gone, large
/// messages split. Within a step the receives come first, so that they are posted first.
struct TransferPlan {
    struct Step {
        int begin = 0, end = 0;  ///< transfers[begin, end)
    };
    struct Channel {
        int begin = 0, end = 0;  ///< steps[begin, end)
        int first_request = 0;   ///< each channel has a slice of the requests and of the scratch,
                                 ///< long enough for its largest step
    };
    std::vector<Transfer> transfers;
    std::vector<Step> steps;
    std::vector<Channel> channels;  ///< only those with something to do
    int requests = 0;
    std::int64_t scratch_bytes = 0;
};

/// Local, no communication.
TransferPlan make_plan(const RankProgram& program, const VectorSpec& vector,
                       std::int64_t largest_message_bytes);

}  // namespace shardstone::collectives
