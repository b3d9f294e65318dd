// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

// Both are for the main thread, whose handlers run on a stack of their own; every other thread
// blocks signals.

/// From now on SIGINT, SIGTERM and SIGHUP end the process with ExitCode::interrupted, and fatal
/// signals (a fault, abort()) kill it, both only after the cause was reported and logged
/// (failure_log.hpp). For ranks, whose launcher otherwise derives an exit code from the signal's
/// number: SIGINT's equals that of bad input. To be called again after starting libraries that
/// catch faults themselves. `several_ranks`: abort() is then attributed to MPI libraries that have
/// lost another rank (ExitCode::lost_rank); with a single rank it is an error of ours.
void say_how_signals_end_it(bool several_ranks);

/// Sets an additional action before a signal ends the process, given its exit code; nullptr: none.
/// Called in the signal handler. To be set before the two others, or between them.
void do_when_stopped(void (*action)(int code));

/// From now on the first SIGINT or SIGTERM is only noted, so that measurements can be written, and
/// is answered at once with a message on when the run will stop: `after`, e.g. "this layout", a
/// text that must remain valid; a second one, more than half a second later, ends the process with
/// ExitCode::interrupted at once. Applies to the process; several ranks must agree on the signals
/// noted, since a signal may reach only some. If a signal reaches all ranks, sent by their launcher
/// or terminal, only rank 0 prints a message, here and above.
void catch_interrupts(const char* after);

/// Whether a signal was noted.
bool interrupted() noexcept;

}  // namespace shardstone
