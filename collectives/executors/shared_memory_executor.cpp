// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/shared_memory_executor.hpp"

#include "collectives/cluster/native.hpp"

namespace shardstone::collectives {

void SharedMemoryExecutor::wait() {
    Progress latest = Progress::none;
    while (latest != Progress::done) {
        wait_for_news(
            bell(),
            [&] {
                latest = progress();
                return latest != Progress::none;
            },
            [&] { native_.drive_messages(); });
    }
}

}  // namespace shardstone::collectives
