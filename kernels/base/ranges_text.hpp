// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace shardstone {

/// Numbers in ascending order, neighbours joined: "0 to 2, 5".
std::string ranges_text(std::span<const int> numbers, const char* to = " to ",
                        const char* between = ", ");

}  // namespace shardstone
