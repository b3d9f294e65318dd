// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/operation/layout.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A piece of memory that is sent or received as it lies, with its place worked out.
struct Transfer {
    TransferKind kind = TransferKind::send;
    int peer = 0;
    int channel = 0;
    int step = 0;
    Region region = Region::vector;
    std::int64_t offset_bytes = 0;
    std::int64_t size_bytes = 0;
    std::int64_t staging_bytes = 0;  ///< where in the staging memory it lies, if it does
    bool after_sends = false;        ///< reduces into what a send of the same step still reads
};

/// What goes from one rank to another at a time: transfers[begin, end).
struct PlannedMessage {
    int begin = 0, end = 0;
    std::int64_t size_bytes = 0;
    /// Whether it passes through the staging memory, where it lies in one piece: made of several
    /// transfers, or to be reduced.
    bool staged = false;
};

/// A program made ready for data of given lengths: empty messages and steps are gone, large
/// messages split. What one rank sends another in a step is one message, unless it would have to be
/// copied together and is too long for that to pay. Within a step the receives come first, so that
/// they are posted first.
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
    std::vector<Channel> channels;  ///< only those with something to do
    int requests = 0;
    std::int64_t staging_bytes = 0;
};

/// The plan of `rank`. Local, no communication.
TransferPlan make_plan(const RankProgram& program, const BlockLayout& layout, int rank,
                       std::int64_t element_bytes, std::int64_t largest_message_bytes);

}  // namespace shardstone::collectives
