// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace shardstone {

/// Starts a thread that receives no signals except those of its own faults: signals are for the
/// main thread. Throws Error if the system refuses another thread, naming the limits as far as
/// known.
std::thread start_thread(std::function<void()> work);

/// "pids.max of cgroup /x: 20", "ulimit -u: 100", or both: the limits on threads of this process
/// and its user; empty if none is known.
std::string limits_of_threads();

}  // namespace shardstone
