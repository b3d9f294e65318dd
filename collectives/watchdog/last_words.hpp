// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "collectives/watchdog/judge.hpp"

namespace shardstone::collectives {

/// How long run_session() has ranks waited for; nullopt: for ever, nobody watches. Before that.
void set_stall_limits(std::optional<StallLimits> limits);
std::optional<StallLimits> stall_limits();

/// What rank 0 does before a job is ended because a rank fails or does not go on, with the reason:
/// mostly in a thread of the watchdog, while the thread that works may do anything. Empty: nothing.
void set_last_words(std::function<void(const std::string& reason)> last_words);
/// Does it here and now. Local.
void say_last_words(const std::string& reason);

}  // namespace shardstone::collectives
