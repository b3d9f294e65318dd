// SPDX-License-Identifier: BSD-3-Clause
// Reads percentages of a command line, which must have their sign.
#include "kernels/base/percent.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "kernels/base/error.hpp"

namespace shardstone {

double parse_percent(std::string_view text) {
    double percent = 0.0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, percent);
    const std::string_view rest(read.ptr, static_cast<std::size_t>(end - read.ptr));
    const bool is_percentage = read.ec == std::errc() && (rest == "%" || rest == " %");
    require(is_percentage && percent >= 0.0 && std::isfinite(percent), [&] {
        return fmt::format(
            "'{}' is not a percentage: give a number from 0 with its sign, such as "
            "3% or 0.5%",
            text);
    });
    return percent / 100.0;
}

}  // namespace shardstone
