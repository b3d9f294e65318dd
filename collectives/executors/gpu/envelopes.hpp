// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/executors/plan.hpp"

namespace shardstone::collectives {

/// What MPI needs of a planned message, and its place in memory where all of them are contiguous.
struct Envelope {
    std::size_t channel = 0;  ///< of the plan
    std::size_t request = 0;
    std::int64_t offset_bytes = 0;
    bool sends = false;
    bool after_sends = false;  ///< reduces into data that a send of the same step still reads
    int peer = 0;
    int tag = 0;
    int size_bytes = 0;
};

struct Envelopes {
    std::vector<Envelope> of;     ///< each message of the plan
    std::int64_t room_bytes = 0;  ///< each channel has a slice for its largest step
};

/// Which messages are given a place.
enum class Placed : std::uint8_t { all, received };

/// Local. Channel c of the program has the tag first_tag + c. Places are aligned to 64 B.
Envelopes address(const TransferPlan& plan, int first_tag, Placed placed = Placed::all);

/// The pieces of message `m`.
std::span<const Transfer> transfers_of(const TransferPlan& plan, std::size_t m);

}  // namespace shardstone::collectives
