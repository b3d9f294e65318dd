// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/cluster/shared_barrier.hpp"

#include "collectives/cluster/native.hpp"

namespace shardstone::collectives {

void SharedBarrier::wait() {
    const std::int64_t round = rounds_.current();
    rounds_.arrive();
    wait_for_news(
        rounds_.bell(), [&] { return rounds_.complete(round); }, [&] { native_.drive_messages(); });
}

}  // namespace shardstone::collectives
