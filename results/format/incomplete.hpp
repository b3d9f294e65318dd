// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/format/record.hpp"

namespace shardstone::results {

/// The check that only a run that did not come to its end has, and never passes: no report takes
/// what is not whole. `done` says how far it came: "3 of 40 points were measured".
inline Check incomplete_check(const std::string& done,
                              const std::string& why = "stopped by a signal (SIGINT or SIGTERM)") {
    return {"the run was complete", false, why + ": " + done};
}

}  // namespace shardstone::results
