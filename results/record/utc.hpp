// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <string>

namespace shardstone::results {

/// "2026-11-26T00:41:30Z".
std::string utc_text(std::time_t time);

}  // namespace shardstone::results
