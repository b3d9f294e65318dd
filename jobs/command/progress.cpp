// SPDX-License-Identifier: BSD-3-Clause
// The line on stderr that says how far a long command is.
#include "jobs/command/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "kernels/base/clock.hpp"

namespace shardstone::command {

ProgressLine::ProgressLine(bool speaks) : speaks_(speaks), begin_s_(now_s()), last_s_(begin_s_) {}

void ProgressLine::say(const std::string& what) {
    constexpr double every_s = 3.0;
    const double time_s = now_s();
    if (!speaks_ || time_s - last_s_ < every_s) return;
    last_s_ = time_s;
    fmt::print(stderr, "shardstone: {:.0f} s: {}\n", time_s - begin_s_, what);
}

}  // namespace shardstone::command
