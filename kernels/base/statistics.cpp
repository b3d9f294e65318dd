// SPDX-License-Identifier: BSD-3-Clause
// Medians, quantiles, confidence intervals, warm-up detection and paired comparisons of samples.
#include "kernels/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/quantile_power.hpp"

namespace shardstone {

namespace {

std::vector<double> sorted_copy(std::span<const double> samples) {
    std::vector<double> copy(samples.begin(), samples.end());
    std::ranges::sort(copy);
    return copy;
}

/// Between the two samples around the place p (n - 1), counted from 0 (Hyndman and Fan 1996, type
/// 7).
double interpolated(std::span<const double> sorted, double p) {
    const double position = p * static_cast<double>(sorted.size() - 1);
    const auto lower = static_cast<std::size_t>(position);
    const double part = position - static_cast<double>(lower);
    return std::lerp(sorted[lower], sorted[std::min(lower + 1, sorted.size() - 1)], part);
}

}  // namespace

double median(std::span<const double> samples) {
    require(!samples.empty(), "a median needs at least one sample");
    std::vector<double> values(samples.begin(), samples.end());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    const double below = *std::max_element(values.begin(), middle);
    return below + (*middle - below) / 2.0;
}

bool is_informative(const Interval& interval) {
    return interval.low > 0.0 && interval.high <= most_informative_factor * interval.low;
}

std::optional<Interval> median_interval(std::span<const double> samples, double confidence) {
    require(confidence > 0.0 && confidence < 1.0, [&] {
        return fmt::format("a confidence of {} is none: use one between 0 and 1", confidence);
    });
    const std::size_t count = samples.size();
    if (count == 0) return std::nullopt;
    // With B ~ binomial(n, 1/2), the j-th smallest exceeds the median with probability P(B < j),
    // so [x_(j), x_(n + 1 - j)] misses it with 2 P(B < j): take the largest j that allows.
    const boost::math::binomial_distribution<double> below(static_cast<double>(count), 0.5);
    const double each_side = (1.0 - confidence) / 2.0;
    std::size_t trimmed = 0;
    while (boost::math::cdf(below, static_cast<double>(trimmed)) <= each_side) ++trimmed;
    if (trimmed == 0) return std::nullopt;
    const auto values = sorted_copy(samples);
    return Interval{values[trimmed - 1], values[count - trimmed]};
}

Interval quantile_interval(std::span<const double> samples, double p, double confidence) {
    require(p > 0.0 && p < 1.0 && confidence > 0.0 && confidence < 1.0, [&] {
        return fmt::format("no interval for the quantile {} at {}: use numbers between 0 and 1", p,
                           confidence);
    });
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    const auto values = sorted_copy(samples);
    const IntervalEnds ends = quantile_interval_ends(values.size(), p, confidence);
    return {ends.low >= 1 ? values[ends.low - 1] : -unlimited,
            ends.high <= values.size() ? values[ends.high - 1] : unlimited};
}

std::optional<double> quantile(std::span<const double> samples, double p) {
    require(p > 0.0 && p < 1.0,
            [&] { return fmt::format("a quantile of {} is none: use one between 0 and 1", p); });
    constexpr double samples_beyond = 10.0;
    const auto count = static_cast<double>(samples.size());
    // The slack forgives the rounding of 1 - p: 100 samples do support the 90 % quantile.
    if (count * std::min(p, 1.0 - p) < samples_beyond * (1.0 - 1e-12)) return std::nullopt;
    return interpolated(sorted_copy(samples), p);
}

Quartiles quartiles(std::span<const double> values) {
    require(!values.empty(), "quartiles need at least one value");
    const auto sorted = sorted_copy(values);
    return {interpolated(sorted, 0.25), median(sorted), interpolated(sorted, 0.75)};
}

double mean(std::span<const double> samples) {
    require(!samples.empty(), "a mean needs at least one sample");
    return std::accumulate(samples.begin(), samples.end(), 0.0) /
           static_cast<double>(samples.size());
}

Interval share_interval(std::size_t seen, std::size_t trials, double confidence) {
    SHARDSTONE_EXPECTS(trials >= 1 && seen <= trials);
    using Binomial = boost::math::binomial_distribution<double>;
    const auto n = static_cast<double>(trials), k = static_cast<double>(seen);
    const double each_side = (1.0 - confidence) / 2.0;
    return {Binomial::find_lower_bound_on_p(n, k, each_side),
            seen == trials ? 1.0 : Binomial::find_upper_bound_on_p(n, k, each_side)};
}

bool look_alike(std::span<const double> older, std::span<const double> newer) {
    const auto [low, high] = std::ranges::minmax(older);
    const double middle = median(newer);
    return low <= middle && middle <= high;
}

std::size_t warmup_count(std::span<const double> samples) {
    const std::size_t count = samples.size();
    if (count < 2) return 0;
    const std::size_t at_most = count / 2;
    for (std::size_t begin = 1; begin <= at_most && begin + 2 * steady_window <= count; ++begin) {
        const auto older = samples.subspan(begin, steady_window);
        const auto newer = samples.subspan(begin + steady_window, steady_window);
        if (look_alike(older, newer) && look_alike(newer, older)) return begin;
    }
    return count < 2 * steady_window + 1 ? 1 : at_most;
}

double half_width(double deviation, std::size_t count, double confidence) {
    SHARDSTONE_EXPECTS(count >= 2 && confidence > 0.0 && confidence < 1.0);
    const auto n = static_cast<double>(count);
    const double t =
        boost::math::quantile(boost::math::students_t(n - 1.0), (1.0 + confidence) / 2.0);
    return t * deviation / std::sqrt(n);
}

std::vector<double> paired_medians(const std::vector<std::vector<double>>& rounds_of_each) {
    std::size_t rounds = std::numeric_limits<std::size_t>::max();
    for (const auto& of_one : rounds_of_each) rounds = std::min(rounds, of_one.size());
    std::vector<double> means;  // geometric, of all candidates in a round
    for (std::size_t round = 0; round < rounds; ++round) {
        double sum_of_logarithms = 0.0;
        for (const auto& of_one : rounds_of_each) sum_of_logarithms += std::log(of_one[round]);
        means.push_back(std::exp(sum_of_logarithms / static_cast<double>(rounds_of_each.size())));
    }
    std::vector<double> medians;
    for (const auto& of_one : rounds_of_each) {
        std::vector<double> relative;
        for (std::size_t round = 0; round < rounds; ++round) {
            relative.push_back(of_one[round] / means[round]);
        }
        medians.push_back(median(relative) * median(means));
    }
    return medians;
}

MeanEstimate mean_estimate(std::span<const double> samples, double confidence) {
    SHARDSTONE_EXPECTS(samples.size() >= 2);
    const auto count = static_cast<double>(samples.size());
    MeanEstimate result;
    result.mean = mean(samples);
    double squares = 0.0;
    for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
    result.deviation = std::sqrt(squares / (count - 1.0));
    const double half = half_width(result.deviation, samples.size(), confidence);
    result.interval = {result.mean - half, result.mean + half};
    return result;
}

}  // namespace shardstone
