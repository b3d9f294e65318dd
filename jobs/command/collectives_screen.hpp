// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "collectives/cluster/description.hpp"
#include "jobs/command/progress.hpp"

namespace shardstone::command {

/// Prints on stdout, flushed at once.
void print_on_root(const collectives::Communicator& world, const std::string& text);

/// Number of planned points, and those finished before.
struct SweepExtent {
    std::size_t points = 0, finished = 0;
    const std::vector<benchmarks::SweepPoint>& earlier;  ///< the finished ones; on rank 0
};

/// Writes to the screen, and to the journal, during the sweep: points of an earlier sweep in their
/// places, marked. All arguments must outlive it.
benchmarks::SweepObserver observer_of(const benchmarks::SweepOptions& options,
                                      const collectives::Communicator& world,
                                      ProgressLine& progress, const SweepExtent& extent);

/// Adds the points of the continued sweep at the front, since the order of measurement is fixed:
/// findings cover all points.
void add_earlier(const std::vector<benchmarks::SweepPoint>& earlier, benchmarks::Sweep& sweep);

/// Throws Error if the description in the file `given` (empty: none) is not the one used by the
/// sweep in `resumed`.
void require_same_cluster(const std::string& given, const collectives::ClusterDescription& earlier,
                          const std::string& resumed);

}  // namespace shardstone::command
