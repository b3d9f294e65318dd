// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// Asks the kernel to run this thread, and those it starts later, in short time slices
/// (SCHED_BATCH, 100 us). Ranks may share their cores with each other or with other programs, and
/// yield while they wait: one whose message has come then gets a core back within a slice, not
/// within the default of milliseconds. Alone on a core it changes nothing, and throughput hardly
/// suffers from so few switches. Linux 6.12 and later honour the slice, earlier kernels ignore it;
/// it changes speed only, so a refusal is no error.
void ask_for_short_time_slices();

}  // namespace shardstone::collectives
