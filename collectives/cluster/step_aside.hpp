// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// The core that the calling thread is on, as sched_getcpu(3) numbers it.
int current_core() noexcept;

/// Leaves `core` for another one that the calling thread may use, if it is there and has a choice;
/// true if it has moved. It is not bound by that: it may use the same cores as before, and the
/// scheduler is free to move it on.
///
/// Of two ranks that meet again and again on one core, each runs while the other sleeps, so that
/// the scheduler has no reason to part them, although another core is idle: a message then takes
/// the one's going to sleep and the other's wake-up, tens of microseconds
/// (reference/decisions/2026-11-26-two-ranks-on-one-core.md). Two system calls of some microseconds
/// where it moves, nothing but a look at the core's number where it need not.
bool step_aside_from(int core) noexcept;

}  // namespace shardstone::collectives
