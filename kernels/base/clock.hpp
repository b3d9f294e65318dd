// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace shardstone {

/// Seconds on the monotonic clock of this node; only differences are meaningful.
inline double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace shardstone
