// SPDX-License-Identifier: BSD-3-Clause
// Student's and Welch's two-sample t, and the level at which many tests together make few false
// discoveries.
#include "kernels/base/two_samples.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone {

namespace {

double squares_about_mean(std::span<const double> samples) {
    const double middle = mean(samples);
    double squares = 0.0;
    for (const double sample : samples) squares += (sample - middle) * (sample - middle);
    return squares;
}

MeanDifference with_deviation(std::span<const double> first, std::span<const double> second,
                              double deviation, double degrees) {
    const auto count_1 = static_cast<double>(first.size());
    const auto count_2 = static_cast<double>(second.size());
    return {mean(second) - mean(first), deviation,
            deviation * std::sqrt(1.0 / count_1 + 1.0 / count_2), degrees};
}

}  // namespace

MeanDifference mean_difference(std::span<const double> first, std::span<const double> second,
                               double least_deviation) {
    SHARDSTONE_EXPECTS(!first.empty() && !second.empty() && first.size() + second.size() >= 3);
    const double degrees = static_cast<double>(first.size() + second.size()) - 2.0;
    const double pooled =
        std::sqrt((squares_about_mean(first) + squares_about_mean(second)) / degrees);
    return with_deviation(first, second, std::max(pooled, least_deviation), degrees);
}

MeanDifference mean_difference_of_two_deviations(std::span<const double> first,
                                                 std::span<const double> second) {
    SHARDSTONE_EXPECTS(first.size() >= 2 && second.size() >= 2);
    double variance = 0.0, squares = 0.0, most_degrees = 0.0;
    for (const auto samples : {first, second}) {
        const double degrees = static_cast<double>(samples.size()) - 1.0;
        const double of_mean = squares_about_mean(samples) / degrees / (degrees + 1.0);
        variance += of_mean;
        squares += of_mean * of_mean / degrees;
        most_degrees += degrees;
    }
    return {mean(second) - mean(first), std::numeric_limits<double>::quiet_NaN(),
            std::sqrt(variance), squares > 0.0 ? variance * variance / squares : most_degrees};
}

MeanDifference mean_difference_assuming(std::span<const double> first,
                                        std::span<const double> second, double deviation) {
    SHARDSTONE_EXPECTS(!first.empty() && !second.empty());
    return with_deviation(first, second, deviation, std::numeric_limits<double>::infinity());
}

double half_width(const MeanDifference& found, double confidence) {
    SHARDSTONE_EXPECTS(confidence > 0.0 && confidence < 1.0);
    // The upper tail itself: 1 - confidence keeps its digits where (1 + confidence) / 2 is near 1.
    const boost::math::students_t distribution(found.degrees);
    const double tail = (1.0 - confidence) / 2.0;
    return boost::math::quantile(boost::math::complement(distribution, tail)) * found.error;
}

double p_value(const MeanDifference& found) {
    if (!(found.error > 0.0)) return found.difference == 0.0 ? 1.0 : 0.0;
    const boost::math::students_t distribution(found.degrees);
    const double t = std::abs(found.difference) / found.error;
    return 2.0 * boost::math::cdf(boost::math::complement(distribution, t));
}

double discovery_level(std::span<const double> p_values, double rate) {
    SHARDSTONE_EXPECTS(!p_values.empty() && rate > 0.0 && rate < 1.0);
    std::vector<double> sorted(p_values.begin(), p_values.end());
    std::ranges::sort(sorted);
    const double each = rate / static_cast<double>(sorted.size());
    for (std::size_t count = sorted.size(); count > 1; --count) {
        const double level = each * static_cast<double>(count);
        if (sorted[count - 1] <= level) return level;
    }
    return each;
}

std::size_t samples_each(double deviation, double difference, double confidence) {
    SHARDSTONE_EXPECTS(difference > 0.0);
    for (std::size_t count = 2; count < most_samples_each; ++count) {
        const auto each = static_cast<double>(count);
        const MeanDifference found{0.0, deviation, deviation * std::sqrt(2.0 / each),
                                   2.0 * each - 2.0};
        if (half_width(found, confidence) <= difference) return count;
    }
    return most_samples_each;
}

}  // namespace shardstone
