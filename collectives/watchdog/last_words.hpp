// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "collectives/watchdog/judge.hpp"

namespace shardstone::collectives {

/// Time limits for run_session(); nullopt: no limits, no watchdog. Call it before that.
void set_stall_limits(std::optional<StallLimits> limits);
std::optional<StallLimits> stall_limits();

/// Function that rank 0 calls, with the reason, before a job is ended because a rank failed or
/// stalled: usually in a thread of the watchdog, while the working thread may be doing anything.
/// Empty: none.
void set_last_words(std::function<void(const std::string& reason)> last_words);
/// Calls it immediately. Local.
void say_last_words(const std::string& reason);

}  // namespace shardstone::collectives
