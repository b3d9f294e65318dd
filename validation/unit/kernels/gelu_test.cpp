// SPDX-License-Identifier: BSD-3-Clause
// GELU equals its oracle near zero and far from it, and its exponential is good to two ulps.
#include "kernels/transformer/gelu.hpp"

#include "kernels/transformer/elementary.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class Gelu : public testing::Test {};
TYPED_TEST_SUITE(Gelu, StorageTypes);

TYPED_TEST(Gelu, EqualsOracle) {
    expect_equal_to_oracle(gelu_outputs(element_traits<TypeParam>::type));
    expect_seen(gelu_outputs(element_traits<TypeParam>::type, Planted::gelu_without_cubic_term),
                {"d"});
}

TYPED_TEST(Gelu, FarFromZeroItIsTheIdentityOrNothing) {
    using S = TypeParam;
    auto pre = as<S>({50, -50, 1000, -1000}), out = as<S>(Values(4));
    const std::vector<S> bias(4);
    bias_gelu_forward<S>(HostQueue(), view(pre, 1), bias.data(), view(out, 1));
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
        ASSERT_NEAR(static_cast<double>(exponential_in_range(x)), expected, bound) << x;
        ASSERT_EQ(clamped_exponential(x), exponential_in_range(x)) << x;
        if (i <= 0) {
            ASSERT_EQ(decaying_exponential(x), exponential_in_range(x)) << x;
        }
    }
    EXPECT_EQ(exponential_in_range(Real(0)), Real(1));
}

TYPED_TEST(Gelu, ExponentialIsClamped) {
    using Real = compute_t<TypeParam>;
    using Limits = std::numeric_limits<Real>;
    const bool is_float = sizeof(Real) == sizeof(float);
    const Real least = exponential_in_range(is_float ? Real(-87) : Real(-708));
    const Real most = exponential_in_range(is_float ? Real(88) : Real(709));
    for (const Real x : {Real(1000), Limits::max(), Limits::infinity()}) {
        EXPECT_EQ(clamped_exponential(x), most);
        EXPECT_EQ(clamped_exponential(-x), least);
        EXPECT_EQ(decaying_exponential(-x), least);
    }
    EXPECT_TRUE(std::isnan(decaying_exponential(Limits::quiet_NaN())));
    EXPECT_TRUE(std::isnan(decaying_exponential(-Limits::quiet_NaN())));
}

}  // namespace
}  // namespace shardstone::validation
