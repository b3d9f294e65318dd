// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"

namespace shardstone::benchmarks {

/// What became of the shards of a training since they were verified. Equal on all ranks.
struct DataFate {
    std::size_t shards = 0;  ///< none: the tokens were in memory, where nobody changes them
    bool changed = false;
    int rank = 0;       ///< the lowest that saw a change, or else that has something to say
    std::string words;  ///< what it saw; empty: nothing
};

/// Every rank looks at all shards as it sees them (nodes may have copies of their own). Cheap while
/// their sizes, times and inodes are what they were. What it said before stays where there is
/// nothing new to say. Collective.
void look_again(const reference::Dataset& dataset, const collectives::Communicator& world,
                DataFate& fate);

}  // namespace shardstone::benchmarks
