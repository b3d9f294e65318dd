// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Nanoseconds since 1970 on this machine's clock of the day.
std::int64_t unix_now_ns();

/// One reading of another rank's clock of the day.
struct ClockReading {
    int rank = 0;
    double at_s = 0.0;     ///< since 1970, by rank 0's clock
    double ahead_s = 0.0;  ///< of rank 0's clock
    double error_s = 0.0;  ///< of that, at most, either way
};

/// Reads the clocks of these ranks, among them not rank 0, `count` times each. Rank 0 asks, and the
/// other one answers with its time, which it read between the two ends of the exchange: in the
/// middle, but for half of the exchange at most (Cristian, Probabilistic clock synchronization,
/// 1989). Of eight exchanges the shortest is the reading. Complete on rank 0, empty elsewhere;
/// ranks that are not read sleep. Another `clock` than the machine's is for tests. Collective.
std::vector<ClockReading> read_clocks(const collectives::Communicator& world,
                                      std::span<const int> ranks, int count,
                                      const std::function<std::int64_t()>& clock = unix_now_ns);

}  // namespace shardstone::benchmarks
