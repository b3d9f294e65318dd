// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

// Both are for the thread that works, and have its handlers run on a stack of their own; every
// other thread holds signals back.

/// From now on SIGINT, SIGTERM and SIGHUP end the process with ExitCode::interrupted, and what
/// kills it (a fault, abort()) does so, both only after it was said and noted (failure_log.hpp).
/// For a rank, whose launcher otherwise makes a code of the signal's number: SIGINT's is that of
/// bad input. Again after libraries that catch faults themselves are started. `several_ranks`:
/// abort() is then what MPI's libraries do when they have lost another rank (ExitCode::lost_rank),
/// alone it is an error of ours.
void say_how_signals_end_it(bool several_ranks);

/// What is done besides before a signal ends the process, given the code that it ends with;
/// nullptr: nothing. Called in the signal's handler. Before the two others, or between them.
void do_when_stopped(void (*action)(int code));

/// From now on the first SIGINT or SIGTERM is only noted, so that what was measured can be written,
/// and is answered at once with when the run will stop: `after`, e.g. "this layout", a text that
/// stays; a second one, later than half a second, ends the process with ExitCode::interrupted at
/// once. Of the process; with
/// several ranks they must agree on what they note, since a signal may reach only some. Of one that
/// reaches all, since their launcher or terminal sent it, only rank 0 speaks, here and above.
void catch_interrupts(const char* after);

/// Whether one was noted.
bool interrupted() noexcept;

}  // namespace shardstone
