// SPDX-License-Identifier: BSD-3-Clause
// What a command tells the watchdog of its session.
#include "collectives/watchdog/last_words.hpp"

#include <mutex>
#include <utility>

namespace shardstone::collectives {

namespace {

struct Settings {
    std::mutex mutex;
    std::optional<StallLimits> limits = StallLimits{};
    std::function<void(const std::string&)> last_words;
};
Settings& settings() {
    static Settings of_this_process;
    return of_this_process;
}

}  // namespace

void set_stall_limits(std::optional<StallLimits> limits) {
    const std::lock_guard lock(settings().mutex);
    settings().limits = limits;
}

std::optional<StallLimits> stall_limits() {
    const std::lock_guard lock(settings().mutex);
    return settings().limits;
}

void set_last_words(std::function<void(const std::string&)> last_words) {
    const std::lock_guard lock(settings().mutex);
    settings().last_words = std::move(last_words);
}

void say_last_words(const std::string& reason) {
    const std::lock_guard lock(settings().mutex);
    if (settings().last_words) settings().last_words(reason);
}

}  // namespace shardstone::collectives
