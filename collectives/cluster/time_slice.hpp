// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// Asks the kernel to run this thread, and those it starts later, in short time slices
/// (SCHED_OTHER, 100 us). Ranks may share their cores with each other or with other programs, and
/// yield or sleep while they wait: one whose message has arrived then gets a core back within a
/// slice, rather than within the default of milliseconds. (SCHED_BATCH does not help: a waking
/// thread does not preempt the running one, and so waits for others' slices to end.) It has no
/// effect on a rank alone on a core, and throughput hardly suffers from so few switches. Linux 6.12
/// and later honour the slice, earlier kernels ignore it; it changes speed only, so a refusal is no
/// error.
void ask_for_short_time_slices();

}  // namespace shardstone::collectives
