// SPDX-License-Identifier: BSD-3-Clause
// Rounding bf16 to FP8 and back in one go gives, for every bf16 number, what the conversions of
// kernels/base give one after the other; scales are as large as they may be.
#include "kernels/transformer/fp8_rows.hpp"

#include <limits>

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class F>
class Fp8Rows : public testing::Test {};
using Formats = testing::Types<fp8_e4m3, fp8_e5m2>;
TYPED_TEST_SUITE(Fp8Rows, Formats);

std::vector<bf16> every_bf16() {
    std::vector<bf16> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
    return all;
}

/// x * scale, converted to F, over the scale. FP64 holds the product and the quotient exactly.
template <class F>
double converted(bf16 x, double scale) {
    constexpr double largest = element_traits<F>::largest;
    const double scaled = wide(x) * scale;
    if (std::isnan(scaled)) return scaled;
    const double number = wide(F(static_cast<float>(std::clamp(scaled, -largest, largest))));
    return number / scale;
}

TYPED_TEST(Fp8Rows, EveryNumberIsConverted) {
    auto from = every_bf16();
    std::vector<bf16> to(from.size());
    for (const int exponent : {-80, -9, -1, 0, 1, 6, 23, 80}) {
        const float scale = std::ldexp(1.0F, exponent);
        float amax = 0.0F;
        round_to_fp8<TypeParam>(HostQueue(), view(from, 1), scale, view(to, 1), &amax);
        for (std::size_t i = 0; i < to.size(); ++i) {
            const double expected = converted<TypeParam>(from[i], scale);
            if (std::isnan(expected)) {
                ASSERT_TRUE(std::isnan(wide(to[i]))) << i;
            } else {
                ASSERT_EQ(wide(to[i]), expected) << wide(from[i]) << " with scale " << scale;
            }
        }
    }
}

TYPED_TEST(Fp8Rows, WhatIsBeyondTheRangeBecomesTheLargest) {
    constexpr auto largest = static_cast<float>(element_traits<TypeParam>::largest);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    auto from = as<bf16>({1.5 * largest, -2.0 * largest, infinity, -infinity, 3.0});
    std::vector<bf16> to(from.size());
    float amax = 0.0F;
    round_to_fp8<TypeParam>(HostQueue(), view(from, 1), 1.0F, view(to, 1), &amax);
    EXPECT_EQ(amax, infinity);
    EXPECT_EQ(as<double>({wide(to[0]), wide(to[1]), wide(to[2]), wide(to[3]), wide(to[4])}),
              (Values{largest, -largest, largest, -largest, 3.0}));
}

/// In matrices with gaps, whose rows are no whole vectors.
TYPED_TEST(Fp8Rows, TheLargestMagnitudeIsThatBeforeRounding) {
    constexpr Size rows = 5, columns = 37, leading = 40;
    auto from = as<bf16>(random_values(rows * leading, "from"));
    for (Size r = 0; r < rows; ++r) from[r * leading + columns] = bf16(1e9F);  // in a gap
    from[3 * leading + 36] = bf16(-77.0F);
    std::vector<bf16> to(rows * columns);
    const Matrix<bf16> whole{from.data(), rows, columns, leading};
    const auto rounded_amax = [&](float amax) {
        round_to_fp8<TypeParam>(HostQueue(), whole, 16.0F, view(to, rows), &amax);
        return amax;
    };
    const auto amax_alone = [&](float amax) {
        largest_magnitude(HostQueue(), whole, &amax);
        return amax;
    };
    EXPECT_EQ(rounded_amax(1.0F), 77.0F);
    EXPECT_EQ(amax_alone(1.0F), 77.0F);
    EXPECT_EQ(rounded_amax(78.0F), 78.0F);
    EXPECT_EQ(amax_alone(78.0F), 78.0F);
    for (Size i = 0; i < rows * columns; ++i) {
        const bf16 x = from[i / columns * leading + i % columns];
        ASSERT_EQ(wide(to[i]), converted<TypeParam>(x, 16.0)) << i;
    }
    from[1] = bf16(std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(std::isinf(rounded_amax(0.0F)));
    EXPECT_TRUE(std::isinf(amax_alone(0.0F)));
}

TYPED_TEST(Fp8Rows, ScalesAreTheLargestPowersThatFit) {
    constexpr double largest = element_traits<TypeParam>::largest;
    for (const bf16 each : every_bf16()) {
        const auto amax = static_cast<float>(each);
        if (!(amax > 0x1p-60F) || !(amax < 0x1p60F)) continue;
        const double scale = fp8_scale<TypeParam>(amax);
        int exponent = 0;
        ASSERT_EQ(std::frexp(scale, &exponent), 0.5) << amax;
        ASSERT_LE(amax * scale, largest) << amax;
        ASSERT_GT(2.0 * amax * scale, largest) << amax;
    }
    EXPECT_EQ(fp8_scale<TypeParam>(static_cast<float>(largest)), 1.0F);
    EXPECT_EQ(fp8_scale<TypeParam>(0.0F), 0.0F);
    EXPECT_EQ(fp8_scale<TypeParam>(0x1p-133F), 0x1p80F);
    EXPECT_EQ(fp8_scale<TypeParam>(0x1p127F), 0x1p-80F);
}

}  // namespace
}  // namespace shardstone::validation
