// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace shardstone::results {

/// "2026-11-26T00:41:30Z".
std::string utc_text(std::time_t time);

/// Of such a text, seconds since 1970; nothing if it is none.
std::optional<std::time_t> utc_time(const std::string& text);

}  // namespace shardstone::results
