// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/base/utf8.hpp"

namespace shardstone {

/// A text composed without allocation, for signal handlers. Text that does not fit is dropped.
template <std::size_t capacity>
class FixedText {
  public:
    FixedText& add(std::string_view text) noexcept {
        const std::size_t count = std::min(text.size(), capacity - 1 - size_);
        std::copy_n(text.data(), count, text_.data() + size_);
        size_ += count;
        text_[size_] = '\0';
        return *this;
    }
    /// Adds a non-negative number with leading zeros up to `least` digits.
    FixedText& add_number(std::int64_t value, std::size_t least = 1) noexcept {
        std::array<char, 20> digits{};
        const auto [end, error] = std::to_chars(digits.begin(), digits.end(), value);
        const auto count = static_cast<std::size_t>(end - digits.begin());
        for (std::size_t i = count; i < least; ++i) add("0");
        return add({digits.data(), count});
    }
    /// Adds text escaped for a JSON string. Bytes that are not UTF-8 become \xNN, as in as_utf8().
    FixedText& add_json(std::string_view text) noexcept {
        while (!text.empty()) {
            const std::size_t length = utf8_length(text);
            if (length == 0) {
                add_byte("\\\\x", text[0]);
            } else if (text[0] == '"' || text[0] == '\\') {
                add("\\").add(text.substr(0, 1));
            } else if (length == 1 && text[0] < ' ') {
                add_byte("\\u00", text[0]);
            } else {
                add(text.substr(0, length));
            }
            text.remove_prefix(std::max<std::size_t>(length, 1));
        }
        return *this;
    }
    void clear() noexcept { size_ = 0, text_[0] = '\0'; }
    std::string_view view() const noexcept { return {text_.data(), size_}; }
    const char* c_str() const noexcept { return text_.data(); }

  private:
    void add_byte(std::string_view before, char byte) noexcept {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto value = static_cast<unsigned char>(byte);
        add(before).add(digits.substr(value >> 4, 1)).add(digits.substr(value & 15, 1));
    }

    std::array<char, capacity> text_{};
    std::size_t size_ = 0;
};

}  // namespace shardstone
