// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/layernorm.hpp"

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

constexpr Size n = 9, channels = 270;

/// Rounding errors of one row, to first order. With X the largest |x|: the mean of C terms is off
/// by (C + 1) u X, so x - mean by e = (C + 4) u X; the variance by 2 e / sigma relatively from that
/// (the mean of |x - mean| is at most sigma) plus (C + 2) u of its own sum, rstd by half of both
/// plus 3 u for the root and the quotient, and the normalised value n by e / sigma + |n| * that.
struct RowErrors {
    double rstd_relative, normalised_fixed, normalised_relative;

    RowErrors(const double* x, double sigma, double u) {
        const double e = (channels + 4) * u * largest(x, channels);
        rstd_relative = e / sigma + (channels / 2.0 + 4) * u;
        normalised_fixed = e / sigma;
        normalised_relative = rstd_relative + u;
    }
    double normalised(double value) const {
        return normalised_fixed + std::abs(value) * normalised_relative;
    }
};

template <class S>
class Layernorm : public testing::Test {
  protected:
    // Off centre, so that the mean matters.
    Layernorm() {
        for (double& v : x_) v = static_cast<float>(v + 3.0);
        const Values ones(channels, 1.0), zeros(channels, 0.0);
        normalised_ = oracle::layernorm(x_, ones, zeros, n);
        for (Size r = 0; r < n; ++r) {
            const double* row = x_.data() + r * channels;
            double mean = 0.0, variance = 0.0;
            for (Size c = 0; c < channels; ++c) mean += row[c] / channels;
            for (Size c = 0; c < channels; ++c) variance += (row[c] - mean) * (row[c] - mean);
            sigma_.push_back(std::sqrt(variance / channels + layernorm_epsilon));
            errors_.emplace_back(row, sigma_.back(), roundoff<compute_t<S>>);
        }
    }

    /// d_x = rstd (g - mean g - n mean(g n)): C-term sums, the errors of n in two places, of rstd
    /// in front; and the addition to d_x.
    Values input_bound(const Values& d_x) const {
        constexpr double u = roundoff<compute_t<S>>;
        Values bound(x_.size());
        for (Size r = 0; r < n; ++r) {
            const RowErrors& error = errors_[r];
            double mean_g = 0.0, mean_gn = 0.0, mean_gn_error = 0.0;
            for (Size c = 0; c < channels; ++c) {
                const double g = std::abs(d_out_[r * channels + c] * weight_[c]);
                const double value = normalised_[r * channels + c];
                mean_g += g / channels;
                mean_gn += g * std::abs(value) / channels;
                mean_gn_error += g * error.normalised(value) / channels;
            }
            for (Size c = 0; c < channels; ++c) {
                const Size i = r * channels + c;
                const double g = std::abs(d_out_[i] * weight_[c]);
                const double value = std::abs(normalised_[i]);
                const double size = g + mean_g + value * mean_gn;
                const double inner = (channels + 5) * u * size + error.normalised(value) * mean_gn +
                                     value * mean_gn_error;
                bound[i] = higher_orders * ((inner + size * error.rstd_relative) / sigma_[r] +
                                            2 * u * (1.0 + std::abs(d_x[i])));
            }
        }
        return bound;
    }

    Values weight_bound() const {
        Values bound(channels, 0.0);
        for (Size i = 0; i < n * channels; ++i) {
            bound[i % channels] += higher_orders * std::abs(d_out_[i]) *
                                   (errors_[i / channels].normalised(normalised_[i]) +
                                    (n + 2) * roundoff<compute_t<S>> * std::abs(normalised_[i]));
        }
        return bound;
    }

    Values x_ = random_values(n * channels, "x", 2.0);
    const Values weight_ = stored<S>(random_values(channels, "weight"));
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    const Values d_out_ = random_values(n * channels, "d_out");
    Values normalised_;
    std::vector<double> sigma_;
    std::vector<RowErrors> errors_;
};
TYPED_TEST_SUITE(Layernorm, StorageTypes);

template <class S>
struct Forward {
    using Real = compute_t<S>;
    std::vector<Real> x, mean, rstd;
    std::vector<S> weight, bias, out;

    Forward(const Values& x_, const Values& weight_, const Values& bias_)
        : x(as<Real>(x_)),
          mean(n),
          rstd(n),
          weight(as<S>(weight_)),
          bias(as<S>(bias_)),
          out(x.size()) {
        layernorm_forward<S>(view(x, n), weight.data(), bias.data(), view(out, n), mean.data(),
                             rstd.data());
    }
};

TYPED_TEST(Layernorm, ForwardEqualsOracle) {
    const Forward<TypeParam> forward(this->x_, this->weight_, this->bias_);
    Values bound(this->x_.size());
    for (Size i = 0; i < n * channels; ++i) {
        const double scaled = std::abs(this->normalised_[i] * this->weight_[i % channels]);
        bound[i] =
            higher_orders *
            (std::abs(this->weight_[i % channels]) *
                 this->errors_[i / channels].normalised(this->normalised_[i]) +
             3 * roundoff<compute_t<TypeParam>> * (scaled + std::abs(this->bias_[i % channels])));
    }
    const Values expected = oracle::layernorm(this->x_, this->weight_, this->bias_, n);
    add_storage_error<TypeParam>(expected, bound);
    EXPECT_LE(worst_ratio(forward.out, expected, bound), 1.0);
}

TYPED_TEST(Layernorm, BackwardEqualsOracleAndAdds) {
    using S = TypeParam;
    using Real = compute_t<S>;
    Forward<S> forward(this->x_, this->weight_, this->bias_);
    auto d_out = as<Real>(this->d_out_);
    std::vector<Real> d_x(forward.x.size(), Real(1)), d_weight(channels), d_bias(channels);
    const LayernormSaved<S> saved{view(forward.x, n), forward.weight.data(), forward.mean.data(),
                                  forward.rstd.data()};
    layernorm_backward_input<S>(saved, view(d_out, n), view(d_x, n));
    layernorm_backward_parameters<S>(saved, view(d_out, n), d_weight.data(), d_bias.data());

    const auto ratio_of_input = [&](Planted bug) {
        Values d = oracle::layernorm_gradient(this->x_, this->weight_, this->d_out_, n, bug).x;
        for (double& v : d) v += 1.0;
        return worst_ratio(d_x, d, this->input_bound(d));
    };
    EXPECT_LE(ratio_of_input(Planted::none), 1.0);
    EXPECT_GT(ratio_of_input(Planted::layernorm_without_mean_term), 1.0);
    EXPECT_GT(ratio_of_input(Planted::layernorm_without_variance_term), 1.0);

    const auto gradient = oracle::layernorm_gradient(this->x_, this->weight_, this->d_out_, n);
    EXPECT_LE(worst_ratio(d_weight, gradient.weight, this->weight_bound()), 1.0);
    Values bias_bound(channels, 0.0);
    for (Size i = 0; i < n * channels; ++i) {
        bias_bound[i % channels] += higher_orders * n * roundoff<Real> * std::abs(this->d_out_[i]);
    }
    EXPECT_LE(worst_ratio(d_bias, gradient.bias, bias_bound), 1.0);
}

}  // namespace
}  // namespace shardstone::validation
