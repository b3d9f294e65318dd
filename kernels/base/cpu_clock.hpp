// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace shardstone {

/// Seconds for which the calling thread has had a core, since it began; only differences mean
/// anything. Unlike now_s() it stands still while the thread waits or another has its core.
inline double thread_cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace shardstone
