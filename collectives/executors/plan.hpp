// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/operation/layout.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A contiguous piece of memory to be sent or received, with its location computed.
struct Transfer {
    TransferKind kind = TransferKind::send;
    int peer = 0;
    int channel = 0;
    int step = 0;
    Region region = Region::vector;
    std::int64_t offset_bytes = 0;
    std::int64_t size_bytes = 0;
    std::int64_t staging_bytes = 0;  ///< offset in the staging memory, if staged
    bool after_sends = false;        ///< reduces into data that a send of the same step still reads
};

/// One message between two ranks: transfers[begin, end).
struct PlannedMessage {
    int begin = 0, end = 0;
    std::int64_t size_bytes = 0;
    /// Whether it passes through the staging memory, where it is contiguous: it consists of several
    /// transfers, or is to be reduced.
    bool staged = false;
};

/// A program prepared for data of given lengths, without empty messages and steps, and with large
/// messages split. All data from one rank to another in a step form one message, unless they would
/// have to be packed and are too long for that to pay off. Within a step the receives come first,
/// so that they are posted first.
struct TransferPlan {
    struct PlannedStep {
        int begin = 0, end = 0;  ///< messages[begin, end)
    };
    struct Channel {
        int begin = 0, end = 0;  ///< steps[begin, end)
        int first_request = 0;   ///< each channel has a slice of the requests and of the staging
                                 ///< memory, long enough for its largest step
    };
    std::vector<Transfer> transfers;  ///< of a message, and of a step, one after the other
    std::vector<PlannedMessage> messages;
    std::vector<PlannedStep> steps;
    std::vector<Channel> channels;  ///< only non-empty ones
    int requests = 0;
    std::int64_t staging_bytes = 0;
};

/// The plan of `rank`. Local, no communication.
TransferPlan make_plan(const RankProgram& program, const BlockLayout& layout, int rank,
                       std::int64_t element_bytes, std::int64_t largest_message_bytes);

}  // namespace shardstone::collectives
