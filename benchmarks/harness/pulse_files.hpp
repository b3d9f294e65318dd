// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::benchmarks {

/// Seconds that a thread was ready to run, but on no core, by the text of its schedstat; not a
/// number where it does not tell. Pure.
double waited_s_in(const char* schedstat);

/// Seconds that the hypervisor took of all cores since the machine started, by the text of
/// /proc/stat; 0 where it does not tell. Pure.
double stolen_s_in(const char* stat);

}  // namespace shardstone::benchmarks
