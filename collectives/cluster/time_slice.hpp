// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// Asks the kernel to run this thread in short time slices (SCHED_BATCH, 100 us), for ranks that
/// share cores and yield while they wait: a rank whose message has come then gets the core back
/// within a slice of whoever has it, not within the default of milliseconds. Throughput does not
/// suffer from so few switches. Linux 6.12 and later honour the slice, earlier kernels ignore it;
/// it changes speed only, so a refusal is no error.
void ask_for_short_time_slices();

}  // namespace shardstone::collectives
