// SPDX-License-Identifier: BSD-3-Clause
// Alpha and beta of a link by least squares, with confidence intervals from the bootstrap.
#include "benchmarks/collectives/calibration/fit.hpp"

#include <algorithm>
#include <random>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Interval95;
using collectives::SizeTime;

std::vector<SizeTime> medians(std::span<const TimedSize> times) {
    std::vector<SizeTime> points;
    for (const TimedSize& one : times) points.push_back({one.size_bytes, median(one.samples_s)});
    return points;
}

std::size_t any_below(std::size_t end, std::mt19937_64& random) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

/// As many rounds, drawn with replacement, and as many samples of each.
double median_of_draw(const TimedSize& one, std::mt19937_64& random) {
    std::vector<std::span<const double>> rounds;
    std::span<const double> left(one.samples_s);
    for (const std::size_t count : one.of_rounds) {
        rounds.push_back(left.first(count));
        left = left.subspan(count);
    }
    if (rounds.empty()) rounds.push_back(left);
    std::vector<double> drawn;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        const auto& round = rounds[any_below(rounds.size(), random)];
        for (std::size_t k = 0; k < round.size(); ++k) {
            drawn.push_back(round[any_below(round.size(), random)]);
        }
    }
    return median(drawn);
}

/// Reaches to the estimate itself, which most draws may lie on one side of: where few samples are
/// far off, or where a slope shows in it and in few of them.
Interval95 middle_95_percent(std::span<const double> values, double estimate) {
    return {std::min(estimate, quantile(values, 0.025).value()),
            std::max(estimate, quantile(values, 0.975).value())};
}

}  // namespace

Line fit_line(std::span<const SizeTime> times) {
    const SizeTime& small = *std::ranges::min_element(times, {}, &SizeTime::size_bytes);
    // Minimise the sum of ((t0 + beta (n - n0)) / t - 1)^2 over beta.
    double numerator = 0.0;
    double denominator = 0.0;
    for (const SizeTime& sample : times) {
        const double slope =
            static_cast<double>(sample.size_bytes - small.size_bytes) / sample.time_s;
        numerator += slope * (1.0 - small.time_s / sample.time_s);
        denominator += slope * slope;
    }
    const double beta = numerator / denominator;
    constexpr double least_part = 0.1;
    const SizeTime& large = *std::ranges::max_element(times, {}, &SizeTime::size_bytes);
    const auto bytes = static_cast<double>(large.size_bytes);
    if (beta * bytes < least_part * large.time_s) {
        return {small.time_s, large.time_s / bytes, false};
    }
    return {std::max(0.0, small.time_s - beta * static_cast<double>(small.size_bytes)), beta, true};
}

collectives::SizeCurve curve_of(std::span<const TimedSize> times) {
    return collectives::SizeCurve(medians(times));
}

FittedLine fit_with_intervals(std::span<const TimedSize> times) {
    constexpr int draws = 400;  // the least whose outer 2.5 % a quantile supports
    std::mt19937_64 random(1);
    std::vector<double> alphas, betas;
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<SizeTime> points;
        for (const TimedSize& one : times) {
            points.push_back({one.size_bytes, median_of_draw(one, random)});
        }
        const Line line = fit_line(points);
        alphas.push_back(line.alpha_s);
        betas.push_back(line.beta_s_per_byte);
    }
    const Line line = fit_line(medians(times));
    return {line, middle_95_percent(alphas, line.alpha_s),
            middle_95_percent(betas, line.beta_s_per_byte)};
}

}  // namespace shardstone::benchmarks
