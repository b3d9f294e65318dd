// SPDX-License-Identifier: BSD-3-Clause
// Order statistics that bound a quantile, and how likely they tell it from a limit.
#include "kernels/base/quantile_power.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <ranges>

#include "kernels/base/error.hpp"

namespace shardstone {

IntervalEnds quantile_interval_ends(std::size_t count, double p, double confidence) {
    // With B ~ binomial(n, p) samples below the quantile, the j-th smallest exceeds it with
    // probability P(B < j), and is below it with P(B >= j).
    const boost::math::binomial_distribution<double> below(static_cast<double>(count), p);
    const double each_side = (1.0 - confidence) / 2.0;
    const auto fewer = [&](std::size_t j) {
        return boost::math::cdf(below, static_cast<double>(j - 1));
    };
    const auto places = std::views::iota(std::size_t{1}, count + 1);
    const auto too_high =
        std::ranges::partition_point(places, [&](std::size_t j) { return fewer(j) <= each_side; });
    const auto high_enough = std::ranges::partition_point(
        places, [&](std::size_t j) { return 1.0 - fewer(j) > each_side; });
    return {static_cast<std::size_t>(too_high - places.begin()),
            static_cast<std::size_t>(high_enough - places.begin()) + 1};
}

double quantile_power(std::size_t count, double p, double share_below, double confidence) {
    SHARDSTONE_EXPECTS(share_below >= 0.0 && share_below <= 1.0);
    const IntervalEnds ends = quantile_interval_ends(count, p, confidence);
    // With fewer samples below the limit than this, the lower end is above it; with as many as
    // that, the upper end is below.
    const boost::math::binomial_distribution<double> below(static_cast<double>(count), share_below);
    double power = 0.0;
    if (ends.low >= 1) power += boost::math::cdf(below, static_cast<double>(ends.low - 1));
    if (ends.high <= count) {
        power += boost::math::cdf(complement(below, static_cast<double>(ends.high - 1)));
    }
    return power;
}

}  // namespace shardstone
