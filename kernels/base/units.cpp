// SPDX-License-Identifier: BSD-3-Clause
// Parses sizes with binary suffixes; formats sizes, times and counts for people.
#include "kernels/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone {

namespace {

constexpr std::string_view multiples = "KMGT";

[[noreturn]] void bad_size(std::string_view text) {
    fail(fmt::format("'{}' is not a size: use bytes or binary multiples such as 4, 64K, 4M, 1G",
                     text));
}

/// The power of 1024 that a suffix stands for.
int exponent_of(std::string_view suffix, std::string_view text) {
    if (suffix.empty() || suffix == "B") return 0;
    const auto position = multiples.find(suffix.front() & ~0x20);
    const std::string_view rest = suffix.substr(1);
    if (position == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB")) {
        bad_size(text);
    }
    return static_cast<int>(position) + 1;
}

}  // namespace

std::int64_t parse_size_bytes(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || value < 0) bad_size(text);
    const auto used = static_cast<std::size_t>(end - text.data());
    const int shift = 10 * exponent_of(text.substr(used), text);
    if (value > (std::numeric_limits<std::int64_t>::max() >> shift)) bad_size(text);
    return value << shift;
}

std::string format_size(std::int64_t size_bytes) {
    static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(size_bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string counted(std::int64_t count, std::string_view noun) {
    const char* const ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
    return fmt::format("{} {}{}", count, noun, ending);
}

std::string format_fixed(double value, int decimals) {
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string format_time(double time_s) {
    const double magnitude = std::abs(time_s);
    const auto [scale, unit] = magnitude < 1e-3  ? std::pair(1e6, "us")
                               : magnitude < 1.0 ? std::pair(1e3, "ms")
                                                 : std::pair(1.0, "s");
    const double value = magnitude * scale;
    if (value >= 1e6) return fmt::format("{:.2e} {}", time_s * scale, unit);
    // Not "{:#.3g}": fmt 9 makes four digits of it from 100 on.
    const int decimals = value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return format_fixed(time_s * scale, decimals) + " " + unit;
}

}  // namespace shardstone
