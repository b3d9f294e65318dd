// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace shardstone {

/// CPU time of the calling thread in seconds since its start; only differences are meaningful.
/// Unlike now_s(), it does not advance while the thread waits or another thread has its core.
inline double thread_cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace shardstone
