// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::results {

/// SHA-256 as 64 hexadecimal digits: what `sha256sum` prints, so that others can check a bundle
/// without Shardstone, and what a signature can rest on.
std::string sha256_of(std::string_view bytes);

}  // namespace shardstone::results
