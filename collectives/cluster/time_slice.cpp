// SPDX-License-Identifier: BSD-3-Clause
// Short scheduler slices let a rank whose message has come get a shared core back soon.
#include "collectives/cluster/time_slice.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace shardstone::collectives {

namespace {

/// The kernel's struct sched_attr in its first published size, for which the C library has neither
/// type nor call (sched_setattr(2)).
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0;  ///< the slice, for SCHED_OTHER
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
};

}  // namespace

void ask_for_short_time_slices() {
    SchedulingAttributes attributes;
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    attributes.runtime_ns = 100000;  // the least that the kernel accepts
    syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace shardstone::collectives
