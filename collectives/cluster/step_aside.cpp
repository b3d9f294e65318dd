// SPDX-License-Identifier: BSD-3-Clause
// A thread that shares its core with another moves to one of the others that it may use.
#include "collectives/cluster/step_aside.hpp"

#include <sched.h>

namespace shardstone::collectives {

int current_core() noexcept {
    return sched_getcpu();
}

bool step_aside_from(int core) noexcept {
    if (core < 0 || current_core() != core) return false;
    cpu_set_t allowed;
    // Refused on machines of more cores than the set has room for; staying costs time only.
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
    cpu_set_t others = allowed;
    CPU_CLR(core, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return false;
    sched_setaffinity(0, sizeof allowed, &allowed);
    return true;
}

}  // namespace shardstone::collectives
