// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "collectives/cluster/description.hpp"
#include "jobs/command/progress.hpp"

namespace shardstone::command {

/// On stdout, at once.
void print_on_root(const collectives::Communicator& world, const std::string& text);

/// How many points are planned, and which were finished before.
struct SweepExtent {
    std::size_t points = 0, finished = 0;
    const std::vector<benchmarks::SweepPoint>& earlier;  ///< those; on rank 0
};

/// What goes to the screen, and to the journal, while the sweep runs: points of an earlier sweep in
/// their places, marked. All arguments must outlive it.
benchmarks::SweepObserver observer_of(const benchmarks::SweepOptions& options,
                                      const collectives::Communicator& world,
                                      ProgressLine& progress, const SweepExtent& extent);

/// A sweep measures in one order, so that the points of the one that it goes on from come first:
/// what is found is of all.
void add_earlier(const std::vector<benchmarks::SweepPoint>& earlier, benchmarks::Sweep& sweep);

/// Throws Error where the description in the file `given` (empty: none) is not the one that the
/// sweep in `resumed` went by.
void require_same_cluster(const std::string& given, const collectives::ClusterDescription& earlier,
                          const std::string& resumed);

}  // namespace shardstone::command
