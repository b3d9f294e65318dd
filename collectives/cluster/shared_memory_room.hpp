// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// Ends a rank with ExitCode::bad_input, and its job, where /dev/shm has too little room for the
/// ranks that its launcher starts on this node: MPI would look for it for most of a minute and end
/// without a word of what is missing. Before MPI's start; nothing where no launcher says how many
/// they are.
void require_room_in_shared_memory();

}  // namespace shardstone::collectives
