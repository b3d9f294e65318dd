// SPDX-License-Identifier: BSD-3-Clause
// The host's part of the time that events tell.
#include "validation/emulated_device/clock.hpp"

#include <algorithm>

namespace shardstone::emulated {

namespace {

double now_s = 0;

}  // namespace

double host_time_s() {
    return now_s;
}

void host_calls() {
    now_s += duration_of_call_s;
}

void host_reaches(double time_s) {
    now_s = std::max(now_s, time_s);
}

}  // namespace shardstone::emulated
