// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// The letter that /proc/PID/stat has for what a process does: 'T' stopped, 't' held by a debugger,
/// 'D' waits for a disk, 'Z' dead; ' ' when it is gone.
char process_state(int process);

}  // namespace shardstone::collectives
