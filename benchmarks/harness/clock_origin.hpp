// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/running_kernel.hpp"

namespace shardstone::benchmarks {

/// One moment on the clock of every rank: times less it are comparable. Ranks that one kernel runs
/// have one clock, and it is exact; the offset of another machine's clock is the median over nine
/// barriers of how much later its rank left them, good to about the time of a message on machines
/// with a core for each rank. Another `kernel` (negative where it is not known) and `clock` (s)
/// than a rank's own are for tests. Collective.
double clock_origin(const collectives::Communicator& communicator, double kernel = running_kernel(),
                    const std::function<double()>& clock = now_s);

}  // namespace shardstone::benchmarks
