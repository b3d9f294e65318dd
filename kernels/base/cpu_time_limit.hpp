// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// From now on a limit of CPU time (RLIMIT_CPU, ulimit -t) is handled like SIGTERM (interrupt.hpp),
/// a tenth of the limit (at least 1 s, at most 30 s) before the kernel kills the process, so that
/// measurements can be written; the cause is reported first (failure_log.hpp). Applies to the
/// process; without effect if there is no limit.
void heed_cpu_time_limit();

/// Whether that point has been reached.
bool cpu_time_ran_out() noexcept;

}  // namespace shardstone
