// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/linear.hpp"

#include "kernels/gemm/gemm.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class Linear : public testing::Test {
  protected:
    static constexpr Size n = 37, inputs = 29, outputs = 300;
    static constexpr double u = roundoff<compute_t<S>>;
    const Values x_ = stored<S>(random_values(n * inputs, "x"));
    const Values weight_ = stored<S>(random_values(outputs * inputs, "weight"));
    const Values bias_ = stored<S>(random_values(outputs, "bias"));
    const Values d_out_ = stored<S>(random_values(n * outputs, "d_out"));

    Values scaled(Values values, double factor) const {
        for (double& v : values) v *= factor;
        return values;
    }
};
TYPED_TEST_SUITE(Linear, StorageTypes);

TYPED_TEST(Linear, ForwardEqualsOracle) {
    using S = TypeParam;
    using Real = compute_t<S>;
    using T = TestFixture;
    auto x = as<S>(this->x_), weight = as<S>(this->weight_);
    auto bias = as<S>(this->bias_);
    std::vector<S> out(T::n * T::outputs);
    std::vector<Real> out_in_real(T::n * T::outputs);
    linear_forward<S>(view(x, T::n), view(weight, T::outputs), bias.data(), view(out, T::n));
    linear_forward<S>(view(x, T::n), view(weight, T::outputs), bias.data(),
                      view(out_in_real, T::n));
    // A sum of `inputs` products and the bias.
    Values bound = this->scaled(oracle::linear(absolute(this->x_), absolute(this->weight_),
                                               absolute(this->bias_), T::n, T::outputs),
                                higher_orders * (T::inputs + 1) * T::u);
    const Values expected = oracle::linear(this->x_, this->weight_, this->bias_, T::n, T::outputs);
    EXPECT_LE(worst_ratio(out_in_real, expected, bound), 1.0);
    add_storage_error<S>(expected, bound);
    EXPECT_LE(worst_ratio(out, expected, bound), 1.0);
}

TYPED_TEST(Linear, BackwardEqualsOracleAndAccumulates) {
    using S = TypeParam;
    using Real = compute_t<S>;
    using T = TestFixture;
    auto x = as<S>(this->x_), weight = as<S>(this->weight_), d_out = as<S>(this->d_out_);
    std::vector<S> d_x(x.size(), S(Real(7)));            // overwritten
    std::vector<Real> d_weight(weight.size(), Real(1));  // added to
    std::vector<Real> d_bias(T::outputs, Real(1));
    linear_backward_input<S>(view(d_out, T::n), view(weight, T::outputs), view(d_x, T::n));
    linear_backward_parameters<S>(view(d_out, T::n), view(x, T::n), view(d_weight, T::outputs),
                                  d_bias.data());

    const auto expect = [&](Planted bug) {
        auto gradient =
            oracle::linear_gradient(this->x_, this->weight_, this->d_out_, T::n, T::outputs, bug);
        // Sums of `outputs` (d_x) and n (parameters) products, the latter added to a first value.
        auto bound = oracle::linear_gradient(absolute(this->x_), absolute(this->weight_),
                                             absolute(this->d_out_), T::n, T::outputs);
        for (auto* values : {&gradient.weight, &gradient.bias, &bound.weight, &bound.bias}) {
            for (double& v : *values) v += 1.0;
        }
        const double per_term = higher_orders * T::u;
        Values d_x_bound = this->scaled(bound.x, T::outputs * per_term);
        add_storage_error<S>(gradient.x, d_x_bound);
        return std::max(
            {worst_ratio(d_x, gradient.x, d_x_bound),
             worst_ratio(d_weight, gradient.weight,
                         this->scaled(bound.weight, (T::n + 1) * per_term)),
             worst_ratio(d_bias, gradient.bias, this->scaled(bound.bias, (T::n + 1) * per_term))});
    };
    EXPECT_LE(expect(Planted::none), 1.0);
    EXPECT_GT(expect(Planted::no_bias_gradient), 1.0) << "the comparison misses a planted bug";
}

// beta = 0 must not read C, or NaNs of uninitialised memory would spread.
TYPED_TEST(Linear, ProductNeverReadsWhatItOverwrites) {
    using S = TypeParam;
    using Real = compute_t<S>;
    auto a = as<S>({1, 2, 3, 4}), b = as<S>({5, 6, 7, 8});
    std::vector<Real> c(4, std::numeric_limits<Real>::quiet_NaN());
    gemm<S>(1, view(a, 2), transpose(view(b, 2)), 0, view(c, 2));
    EXPECT_EQ(c, (std::vector<Real>{17, 23, 39, 53}));
    gemm<S>(2, transpose(view(a, 2)), view(b, 2), 1, view(c, 2));
    EXPECT_EQ(c, (std::vector<Real>{17 + 52, 23 + 60, 39 + 76, 53 + 88}));
}

}  // namespace
}  // namespace shardstone::validation
