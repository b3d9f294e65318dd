// SPDX-License-Identifier: BSD-3-Clause
// Times, rates, sizes, shares and counts as the report prints them.
#include "results/report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

constexpr const char* dash = "-";

using Unit = std::pair<double, const char*>;

constexpr std::array<Unit, 5> byte_rates{
    {{1e3, "TB/s"}, {1.0, "GB/s"}, {1e-3, "MB/s"}, {1e-6, "kB/s"}, {1e-9, "B/s"}}};
constexpr std::array<Unit, 4> times{{{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};

/// The largest of the units that fits, allowing for the rounding of a power of ten.
const Unit& unit_for(double value, std::span<const Unit> units) {
    for (const Unit& unit : units) {
        if (std::abs(value) >= unit.first * (1.0 - 1e-9)) return unit;
    }
    return units.back();
}

std::string scaled(double value, std::span<const Unit> units, int digits) {
    if (!std::isfinite(value)) return dash;
    const auto& [unit, name] = unit_for(value, units);
    return fmt::format("{} {}", digits_text(value / unit, digits), name);
}

std::string tick(double value, std::span<const Unit> units) {
    const auto& [unit, name] = unit_for(value, units);
    return fmt::format("{} {}", number_tick(value / unit), name);
}

}  // namespace

std::string rate_text(double rate_gb_s) {
    return scaled(rate_gb_s, byte_rates, 3);
}

std::string flop_rate_text(double rate_gflop_s) {
    constexpr std::array<Unit, 3> units{{{1e3, "TFLOP/s"}, {1.0, "GFLOP/s"}, {1e-3, "MFLOP/s"}}};
    return scaled(rate_gflop_s, units, 3);
}

std::string rate_tick(double rate_gb_s) {
    return tick(rate_gb_s, byte_rates);
}

std::string time_tick(double time_s) {
    return tick(time_s, times);
}

std::string number_tick(double value) {
    return fmt::format("{:.4g}", value + 0.0);  // no "-0"
}

std::string percent_text(double fraction) {
    return std::isfinite(fraction) ? digits_text(100.0 * fraction, 3) + " %" : dash;
}

std::string share_text(double fraction) {
    if (!(fraction > 1.0)) return percent_text(fraction);
    return fmt::format("error: {} % of what is possible", digits_text(100.0 * fraction, 4));
}

double factor_apart(double ratio) {
    return std::max(ratio, 1.0 / ratio);
}

std::string time_text(double time_s) {
    return std::isfinite(time_s) ? format_time(time_s) : dash;
}

std::string size_text(double size_bytes) {
    return std::isfinite(size_bytes) ? format_size(std::llround(size_bytes)) : dash;
}

std::string count_text(double count) {
    // Beyond these digits a double holds no count, and far beyond them nor does a long long.
    constexpr double most_digits = 1e15;
    if (!(std::abs(count) < most_digits)) return digits_text(count, 3);
    std::string digits = fmt::format("{}", std::llround(count));
    for (auto place = std::ssize(digits) - 3; place > (count < 0 ? 1 : 0); place -= 3) {
        digits.insert(static_cast<std::size_t>(place), " ");
    }
    return digits;
}

std::string digits_text(double value, int digits) {
    if (!std::isfinite(value)) return dash;
    if (value == 0.0) return "0";
    // Of the rounded value: 0.9999 in three digits is 1.00, not 1.000.
    const double rounded = std::stod(fmt::format("{:.{}e}", value, digits - 1));
    const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(rounded))));
    if (magnitude >= 6 || magnitude < -4) return fmt::format("{:.{}e}", value, digits - 1);
    return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - magnitude));
}

std::string tokens_rate_text(double tokens_per_s) {
    if (!std::isfinite(tokens_per_s)) return dash;
    return (tokens_per_s < 1000.0 ? digits_text(tokens_per_s, 3) : count_text(tokens_per_s)) +
           " tokens/s";
}

std::string plural(double count, const std::string& noun, const std::string& several) {
    if (count == 1.0) return "1 " + noun;
    return fmt::format("{} {}", count_text(count), several.empty() ? noun + "s" : several);
}

std::string time_with_interval(double time_s, double low_s, double high_s) {
    if (!std::isfinite(low_s) || !std::isfinite(high_s)) return time_text(time_s);
    return fmt::format("{} (95 % interval {} to {})", time_text(time_s), time_text(low_s),
                       time_text(high_s));
}

std::string interval_text(double low_s, double high_s) {
    if (!std::isfinite(low_s) || !std::isfinite(high_s)) return "too few samples";
    return fmt::format("{} to {}", time_text(low_s), time_text(high_s));
}

std::string range_text(double low, double high, std::string (*text)(double)) {
    return std::isfinite(low) && std::isfinite(high) ? text(low) + " to " + text(high) : dash;
}

std::string estimate_range_text(double low, double high, std::string (*text)(double)) {
    const bool is_known = !std::isnan(low) && !std::isnan(high);
    return is_known && !is_informative({low, high})
               ? fmt::format("wider than a factor of {:.0f}", most_informative_factor)
               : range_text(low, high, text);
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

}  // namespace shardstone::results
