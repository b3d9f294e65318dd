// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// One moment on the clock of every rank: times less it are comparable. Ranks that one kernel runs
/// have one clock, and it is exact; the offset of another machine's clock is the median over nine
/// barriers of how much later its rank left them, good to about the time of a message on machines
/// with a core for each rank. Collective.
double clock_origin(const collectives::Communicator& communicator);

}  // namespace shardstone::benchmarks
