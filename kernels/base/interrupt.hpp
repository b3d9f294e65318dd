// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// From now on SIGINT, SIGTERM and SIGHUP end the process with ExitCode::interrupted, and what
/// kills it (a fault, abort()) does so, both only after it was said and noted (failure_log.hpp).
/// For a rank, whose launcher otherwise makes a code of the signal's number: SIGINT's is that of
/// bad input. Once, after libraries that catch faults are started. `several_ranks`: abort() is then
/// what MPI's libraries do when they have lost another rank (ExitCode::lost_rank), alone it is an
/// error of ours.
void say_how_signals_end_it(bool several_ranks);

/// From now on the first SIGINT or SIGTERM is only noted, so that what was measured can be written;
/// a second one ends the process with ExitCode::interrupted at once. Of the process; with several
/// ranks they must agree on what they note, since a signal may reach only some.
void catch_interrupts();

/// Whether one was noted.
bool interrupted() noexcept;

}  // namespace shardstone
