// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// Ends a rank with ExitCode::bad_input, and its job, if files may not grow as MPI needs it (ulimit
/// -f), or if /dev/shm has too little space for the ranks that its launcher starts on this node, if
/// that gives their number: MPI would try for most of a minute, and end without naming the cause.
/// Before MPI's start.
void require_room_in_shared_memory();

}  // namespace shardstone::collectives
