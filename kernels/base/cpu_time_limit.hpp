// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// From now on a limit of CPU time (RLIMIT_CPU, ulimit -t) is met as SIGTERM is (interrupt.hpp), a
/// tenth of it (1 s at least, 30 s at most) before the kernel kills, so that what was measured can
/// be written; that it is said first (failure_log.hpp). Of the process; without a limit it does
/// nothing.
void heed_cpu_time_limit();

/// Whether that has come.
bool cpu_time_ran_out() noexcept;

}  // namespace shardstone
