// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardstone {

/// Number of bytes of the UTF-8 character at the start of `text` (RFC 3629: no overlong form, no
/// surrogate, nothing beyond U+10FFFF); 0 if there is none, and for a zero byte.
std::size_t utf8_length(std::string_view text) noexcept;

/// Whether a byte of UTF-8 text is the first of its character.
constexpr bool begins_utf8_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// `text` with each byte that is not part of UTF-8, or zero, written as \xNN: file names, arguments
/// and host names may contain any bytes, JSON only UTF-8. Valid UTF-8 is unchanged.
std::string as_utf8(std::string_view text);

}  // namespace shardstone
