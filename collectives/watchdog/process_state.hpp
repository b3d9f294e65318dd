// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// The state letter of a process in /proc/PID/stat: 'T' stopped, 't' held by a debugger, 'D' waits
/// for a disk, 'Z' ended; ' ' if there is none.
char process_state(int process);

}  // namespace shardstone::collectives
