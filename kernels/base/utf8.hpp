// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardstone {

/// Bytes of the UTF-8 character that `text` begins with (RFC 3629: no overlong form, no surrogate,
/// nothing beyond U+10FFFF); 0 where there is none, and at a zero byte.
std::size_t utf8_length(std::string_view text) noexcept;

/// `text` with each byte that is no part of UTF-8, or zero, written as \xNN: file names, arguments
/// and host names may hold any bytes, JSON only UTF-8. Text that is UTF-8 stays as it is.
std::string as_utf8(std::string_view text);

}  // namespace shardstone
