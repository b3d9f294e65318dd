// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::benchmarks {

/// Seconds that a thread was runnable, but on no core, from the text of its schedstat; NaN if
/// unavailable. Pure.
double waited_s_in(const char* schedstat);

/// Seconds stolen by the hypervisor from all cores since the machine started, from the text of
/// /proc/stat; 0 if unavailable. Pure.
double stolen_s_in(const char* stat);

}  // namespace shardstone::benchmarks
