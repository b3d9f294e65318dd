// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace shardstone {

/// 0.03 of "3%" or "3 %". Throws Error for anything else: negative or infinite numbers, and one
/// without the sign, which may be meant in percent or as a share.
double parse_percent(std::string_view text);

}  // namespace shardstone
