// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace shardstone {

/// Seconds of "90s", "30m", "8h", "2d", "1.5h". Throws Error for anything else, a number without a
/// unit included, and unless it is above 0 and finite.
double parse_duration_s(std::string_view text);

}  // namespace shardstone
