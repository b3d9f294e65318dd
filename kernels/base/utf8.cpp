// SPDX-License-Identifier: BSD-3-Clause
// Recognises UTF-8 and escapes the bytes that are none, so that any text fits into JSON.
#include "kernels/base/utf8.hpp"

#include <algorithm>

namespace shardstone {

namespace {

/// The second byte tells overlong forms, surrogates and what is beyond Unicode from the rest.
bool second_may_follow(unsigned char first, unsigned char second) noexcept {
    switch (first) {
        case 0xe0:
            return second >= 0xa0;
        case 0xed:
            return second < 0xa0;
        case 0xf0:
            return second >= 0x90;
        case 0xf4:
            return second < 0x90;
        default:
            return true;
    }
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty() || text[0] == '\0') return 0;
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (text.size() < length) return 0;
    const bool continued = std::ranges::all_of(text.substr(1, length - 1), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    });
    return continued && second_may_follow(first, static_cast<unsigned char>(text[1])) ? length : 0;
}

std::string as_utf8(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text.substr(i));
        if (length > 0) {
            result += text.substr(i, length);
        } else {
            const auto byte = static_cast<unsigned char>(text[i]);
            ((result += "\\x") += digits[byte >> 4]) += digits[byte & 15];
        }
        i += std::max<std::size_t>(length, 1);
    }
    return result;
}

}  // namespace shardstone
