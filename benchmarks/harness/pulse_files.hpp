// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::benchmarks {

/// Seconds stolen by the hypervisor from all cores since the machine started, from the text of
/// /proc/stat; 0 if unavailable. Pure.
double stolen_s_in(const char* stat);

}  // namespace shardstone::benchmarks
