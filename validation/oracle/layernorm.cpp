// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm in FP64; its gradient sums over the full Jacobian of each row.
#include <cmath>

#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

namespace {

struct Moments {
    double mean = 0.0;
    double deviation = 0.0;  ///< with epsilon under the root
};

Moments moments_of(const double* x, Size channels) {
    Moments moments;
    for (Size c = 0; c < channels; ++c) moments.mean += x[c] / static_cast<double>(channels);
    double variance = 0.0;
    for (Size c = 0; c < channels; ++c) {
        variance += std::pow(x[c] - moments.mean, 2) / static_cast<double>(channels);
    }
    moments.deviation = std::sqrt(variance + 1e-5);
    return moments;
}

/// d normalised_i / d x_j, from the quotient rule.
double jacobian(const double* x, const Moments& moments, Size channels, Size i, Size j,
                Planted bug) {
    const double size = static_cast<double>(channels);
    const double d_mean = bug == Planted::layernorm_without_mean_term ? 0.0 : 1.0 / size;
    double d_deviation = (x[j] - moments.mean) / (size * moments.deviation);
    if (bug == Planted::layernorm_without_variance_term) d_deviation = 0.0;
    const double numerator = (i == j ? 1.0 : 0.0) - d_mean;
    return (numerator * moments.deviation - (x[i] - moments.mean) * d_deviation) /
           (moments.deviation * moments.deviation);
}

}  // namespace

Values layernorm(const Values& x, const Values& weight, const Values& bias, Size n) {
    const Size channels = static_cast<Size>(weight.size());
    Values out(x.size());
    for (Size r = 0; r < n; ++r) {
        const double* row = x.data() + r * channels;
        const Moments moments = moments_of(row, channels);
        for (Size c = 0; c < channels; ++c) {
            out[r * channels + c] =
                (row[c] - moments.mean) / moments.deviation * weight[c] + bias[c];
        }
    }
    return out;
}

LayernormGradient layernorm_gradient(const Values& x, const Values& weight, const Values& d_out,
                                     Size n, Planted bug) {
    const Size channels = static_cast<Size>(weight.size());
    LayernormGradient gradient{Values(x.size()), Values(channels), Values(channels)};
    for (Size r = 0; r < n; ++r) {
        const double* row = x.data() + r * channels;
        const Moments moments = moments_of(row, channels);
        for (Size i = 0; i < channels; ++i) {
            const double d = d_out[r * channels + i];
            gradient.weight[i] += d * (row[i] - moments.mean) / moments.deviation;
            gradient.bias[i] += d;
            for (Size j = 0; j < channels; ++j) {
                gradient.x[r * channels + j] +=
                    d * weight[i] * jacobian(row, moments, channels, i, j, bug);
            }
        }
    }
    return gradient;
}

}  // namespace shardstone::validation::oracle
