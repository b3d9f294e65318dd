// SPDX-License-Identifier: BSD-3-Clause
// A wait that sleeps on the node's doorbell, and polls while messages of MPI are under way.
#include "collectives/executors/shared_memory/executor.hpp"

#include "collectives/cluster/native.hpp"
#include "collectives/cluster/waiting.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

void SharedMemoryExecutor::wait() {
    Waiter waiter(this);
    bool has_said_so = false;
    Progress latest = Progress::none;
    while (latest != Progress::done) {
        if (awaits_messages()) {
            latest = progress();
            latest == Progress::none ? waiter.idle() : waiter.busy();
            continue;
        }
        wait_for_news(
            bell(),
            [&] {
                latest = progress();
                return latest != Progress::none;
            },
            [&] {
                whereabouts().waits(waits_for());
                has_said_so = true;
                native_.drive_messages();
            });
    }
    if (has_said_so) whereabouts().moved();
}

}  // namespace shardstone::collectives
