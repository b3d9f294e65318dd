// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::results {

/// XXH3, 128 bits, as 32 hexadecimal digits: detects accidents, not forgery.
std::string hash_of_bytes(std::string_view bytes);

}  // namespace shardstone::results
