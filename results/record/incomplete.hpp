// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "kernels/base/cpu_time_limit.hpp"
#include "results/record/record.hpp"

namespace shardstone::results {

/// Reasons for which a run ends itself early.
inline std::string what_stops() {
    return cpu_time_ran_out() ? "stopped by the CPU time limit (ulimit -t)"
                              : "stopped by a signal (SIGINT or SIGTERM)";
}

/// The check that only an incomplete run has and that never passes, so that no report accepts it.
/// `done` is its progress: "3 of 40 points were measured".
inline Check incomplete_check(const std::string& done, const std::string& why = what_stops()) {
    return {"the run was complete", false, why + ": " + done};
}

/// That check among others; their end if there is none.
inline auto find_incomplete(auto& checks) {
    return std::ranges::find(checks, "the run was complete", &Check::name);
}

}  // namespace shardstone::results
