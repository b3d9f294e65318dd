// SPDX-License-Identifier: BSD-3-Clause
// A node's ranks wait for each other asleep, while messages of MPI are still driven on.
#include "collectives/cluster/shared_barrier.hpp"

#include "collectives/cluster/native.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

void SharedBarrier::wait() {
    const std::int64_t round = rounds_.current();
    rounds_.arrive();
    wait_for_news(
        rounds_.bell(), [&] { return rounds_.complete(round); },
        [&] {
            whereabouts().waits("the other ranks of the node (barrier)");
            native_.drive_messages();
        });
    whereabouts().moved();
}

}  // namespace shardstone::collectives
