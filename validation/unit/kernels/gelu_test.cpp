// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/gelu.hpp"

#include "kernels/transformer/elementary.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

constexpr Size n = 11, channels = 103;

template <class S>
class Gelu : public testing::Test {
  protected:
    const Values pre_ = stored<S>(random_values(n * channels, "pre", 2.0));
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    const Values d_out_ = stored<S>(random_values(n * channels, "d_out"));
    /// pre + bias as the types round it: what both functions below see.
    Values biased() const {
        using Real = compute_t<S>;
        Values x(pre_.size());
        for (Size i = 0; i < n * channels; ++i) {
            x[i] = wide(S(static_cast<Real>(pre_[i]) + static_cast<Real>(bias_[i % channels])));
        }
        return x;
    }
};
TYPED_TEST_SUITE(Gelu, StorageTypes);

struct Gate {
    double s, slope, error;

    /// z = k (x + c x^3) takes 5 roundings and 2 of constants, all its terms of one sign: 7 u.
    /// exp(-2z) is then off by 14 |z| u and 4 u of its own, s = 1 / (1 + exp) by (1 - s) times that
    /// plus 2 u for the sum and the quotient, all relative to s.
    Gate(double x, double u) {
        const double k = std::sqrt(2.0 / 3.14159265358979323846);
        const double z = k * (x + 0.044715 * x * x * x);
        s = std::exp(z) / (2.0 * std::cosh(z));
        slope = k * (1.0 + 3.0 * 0.044715 * x * x);
        error = s * ((1.0 - s) * (14.0 * std::abs(z) + 4.0) + 2.0) * u;
    }
};

TYPED_TEST(Gelu, ForwardEqualsOracle) {
    using S = TypeParam;
    using Real = compute_t<S>;
    constexpr double u = roundoff<Real>;
    auto pre = as<S>(this->pre_);
    auto bias = as<S>(this->bias_);
    std::vector<S> out(pre.size());
    bias_gelu_forward<S>(view(pre, n), bias.data(), view(out, n));
    const Values x = this->biased();
    Values bound(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Gate gate(x[i], u);
        bound[i] = higher_orders * std::abs(x[i]) * (gate.error + gate.s * u);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(wide(pre[i]), x[i]) << "pre is kept with the bias added";
    }
    const Values expected = oracle::gelu(x);
    add_storage_error<S>(expected, bound);
    EXPECT_LE(worst_ratio(out, expected, bound), 1.0);
}

TYPED_TEST(Gelu, BackwardEqualsOracle) {
    using S = TypeParam;
    constexpr double u = roundoff<compute_t<S>>;
    const Values exact = this->biased();
    auto x = as<S>(exact), d = as<S>(this->d_out_);
    gelu_backward<S>(view(x, n), view(d, n));
    // s + 2 x s (1 - s) slope: s is off by e, 1 - s by e + u, the products by 12 u, the sum by u.
    Values bound(exact.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const Gate gate(exact[i], u);
        const double factor = 2.0 * std::abs(exact[i]) * gate.slope;
        const double product = gate.s * (1.0 - gate.s);
        const double product_error =
            gate.error * (1.0 - gate.s) + gate.s * (gate.error + u) + 12.0 * u * product;
        bound[i] = higher_orders * std::abs(this->d_out_[i]) *
                   (gate.error + factor * product_error + 2.0 * u * (gate.s + factor * product));
    }
    add_storage_error<S>(oracle::gelu_gradient(exact, this->d_out_), bound);
    const auto ratio = [&](Planted bug) {
        return worst_ratio(d, oracle::gelu_gradient(exact, this->d_out_, bug), bound);
    };
    EXPECT_LE(ratio(Planted::none), 1.0);
    EXPECT_GT(ratio(Planted::gelu_without_cubic_term), 1.0);
}

TYPED_TEST(Gelu, FarFromZeroItIsTheIdentityOrNothing) {
    using S = TypeParam;
    auto pre = as<S>({50, -50, 1000, -1000}), out = as<S>(Values(4));
    const std::vector<S> bias(4);
    bias_gelu_forward<S>(view(pre, 1), bias.data(), view(out, 1));
    EXPECT_EQ(wide(out[0]), 50.0);
    EXPECT_EQ(wide(out[2]), 1000.0);
    // exp is clamped at the top of the type's range, so s is 1 / e^88 or less, not zero.
    EXPECT_LT(std::abs(wide(out[1])), 1e-35);
    EXPECT_LT(std::abs(wide(out[3])), 1e-34);
}

TYPED_TEST(Gelu, ExponentialIsGoodToTwoUnitsInTheLastPlace) {
    using Real = compute_t<TypeParam>;
    const double limit = sizeof(Real) == sizeof(float) ? 87.0 : 708.0;
    for (int i = -20000; i <= 20000; ++i) {
        const Real x = static_cast<Real>(limit * i / 20000.0);
        const double expected = std::exp(static_cast<double>(x));
        // 2 units in the last place are 4 u; libm's own error is another u of double.
        const double bound = (4.0 * roundoff<Real> + roundoff<double>)*expected;
        ASSERT_NEAR(static_cast<double>(exponential(x)), expected, bound) << x;
    }
    EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<Real>::quiet_NaN())));
    EXPECT_EQ(exponential(Real(0)), Real(1));
}

}  // namespace
}  // namespace shardstone::validation
