// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"

namespace shardstone::benchmarks {

/// Changes to the shards of a training since they were verified. Equal on all ranks.
struct DataFate {
    std::size_t shards = 0;  ///< 0: the tokens were in memory, where they cannot change
    bool changed = false;
    int rank = 0;       ///< the lowest that found a change, or else has something to report
    std::string words;  ///< its finding; empty: none
};

/// Every rank checks all shards in its own view (nodes may have copies of their own). Cheap while
/// their sizes, times and inodes are unchanged. Earlier findings are kept if there is nothing new
/// to report. Collective.
void look_again(const reference::Dataset& dataset, const collectives::Communicator& world,
                DataFate& fate);

}  // namespace shardstone::benchmarks
