// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace shardstone {

/// Signals are for the thread that works: this one gets none but those of its own faults. Throws
/// Error where the system refuses another thread: what limits them, as far as that is known.
std::thread start_thread(std::function<void()> work);

/// "pids.max of cgroup /x: 20", "ulimit -u: 100", or both: what limits the threads of this process
/// and its user; empty: nothing that is known.
std::string limits_of_threads();

}  // namespace shardstone
