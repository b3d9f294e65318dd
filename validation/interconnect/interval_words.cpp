// SPDX-License-Identifier: BSD-3-Clause
// Figures with their intervals, and without figures that are none.
#include "validation/interconnect/interval_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

std::string with_interval(double value, double low, double high, const char* unit, const char* of) {
    if (std::isnan(value) && std::isnan(low)) return "unknown";
    if (std::isnan(value)) return fmt::format("unknown (at least {:.3g} {})", low, unit);
    if (std::isnan(high) && !std::isnan(low)) {
        return fmt::format("uncertain: {:.3g} {} (at least {:.3g})", value, unit, low);
    }
    if (std::isnan(low)) {
        return fmt::format("{:.3g} {} (interval unknown: too few {})", value, unit, of);
    }
    return fmt::format("{}{:.3g} {} ({:.3g} to {:.3g})",
                       is_informative({low, high}) ? "" : "uncertain: ", value, unit, low, high);
}

std::string odds_in_words(double log10_odds) {
    constexpr double least_as_power = 4.0, least_whole = 10.0;
    if (!(log10_odds < least_as_power)) return fmt::format("10^{:.0f} to 1", log10_odds);
    const double odds = std::pow(10.0, log10_odds);
    return odds < least_whole ? fmt::format("{:.2g} to 1", odds) : fmt::format("{:.0f} to 1", odds);
}

}  // namespace shardstone::validation
