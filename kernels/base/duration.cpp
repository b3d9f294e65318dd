// SPDX-License-Identifier: BSD-3-Clause
// Parses durations with a unit.
#include "kernels/base/duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "kernels/base/error.hpp"

namespace shardstone {

double parse_duration_s(std::string_view text) {
    double value = 0.0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const bool lacks_unit = status == std::errc{} && unit.empty() && value > 0.0;
    require(!lacks_unit,
            [&] { return fmt::format("'{0}' has no unit: write {0}s, {0}m or {0}h", text); });
    const double unit_s = unit == "s"   ? 1.0
                          : unit == "m" ? 60.0
                          : unit == "h" ? 3600.0
                          : unit == "d" ? 86400.0
                                        : 0.0;
    const double duration_s = status == std::errc{} ? value * unit_s : 0.0;
    require(duration_s > 0.0 && std::isfinite(duration_s), [&] {
        return fmt::format("'{}' is not a duration: use a number above 0 such as 90s, 30m, 8h, 2d",
                           text);
    });
    return duration_s;
}

}  // namespace shardstone
