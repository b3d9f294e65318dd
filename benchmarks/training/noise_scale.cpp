// SPDX-License-Identifier: BSD-3-Clause
// The gradient noise scale with a jackknife interval, and the fit of steps against batch size.
#include "benchmarks/training/noise_scale.hpp"

#include <cmath>

#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

namespace {

/// From mean lengths.
NoiseScale estimate(const GradientLengths& mean, double small_batch, double big_batch) {
    NoiseScale result;
    result.gradient_square =
        (big_batch * mean.big_square - small_batch * mean.small_square) / (big_batch - small_batch);
    result.trace = (mean.small_square - mean.big_square) / (1.0 / small_batch - 1.0 / big_batch);
    result.scale = result.trace / result.gradient_square;
    return result;
}

}  // namespace

NoiseScale noise_scale(std::span<const GradientLengths> pairs, double small_batch,
                       double big_batch) {
    SHARDSTONE_EXPECTS(pairs.size() >= 2 && small_batch > 0.0 && small_batch < big_batch);
    const auto count = static_cast<double>(pairs.size());
    GradientLengths sum;
    for (const GradientLengths& pair : pairs) {
        sum.small_square += pair.small_square;
        sum.big_square += pair.big_square;
    }
    NoiseScale result =
        estimate({sum.small_square / count, sum.big_square / count}, small_batch, big_batch);
    std::vector<double> without;
    for (const GradientLengths& pair : pairs) {
        const GradientLengths rest{(sum.small_square - pair.small_square) / (count - 1.0),
                                   (sum.big_square - pair.big_square) / (count - 1.0)};
        without.push_back(estimate(rest, small_batch, big_batch).scale);
    }
    // The jackknife's error, sqrt((n - 1) / n * sum of squares), in terms of the deviation.
    const double deviation = mean_estimate(without).deviation;
    const double half = (count - 1.0) * half_width(deviation, without.size());
    result.interval = {result.scale - half, result.scale + half};
    return result;
}

TradeOff fit_trade_off(std::span<const double> batches, std::span<const double> steps) {
    SHARDSTONE_EXPECTS(batches.size() == steps.size() && batches.size() >= 2);
    // Minimises sum ((s + e / B) / S - 1)^2: two linear equations for s and e.
    double ss = 0.0, se = 0.0, ee = 0.0, s = 0.0, e = 0.0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double x = 1.0 / steps[i];
        const double y = 1.0 / (batches[i] * steps[i]);
        ss += x * x;
        se += x * y;
        ee += y * y;
        s += x;
        e += y;
    }
    const double determinant = ss * ee - se * se;
    return {(s * ee - e * se) / determinant, (e * ss - s * se) / determinant};
}

}  // namespace shardstone::benchmarks
