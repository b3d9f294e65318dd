// SPDX-License-Identifier: BSD-3-Clause
// The narrow floats against an oracle that knows only their definition: the value of every code by
// exponent and significand in double, and rounding as a search for the nearest.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/base/convert.hpp"
#include "kernels/base/element_type.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

struct BlockLayout {
    int bits, mantissa_bits, bias;
    bool has_infinity;
    int magnitudes() const { return 1 << (bits - 1); }
};

template <class T>
constexpr BlockLayout layout;
template <>
constexpr BlockLayout layout<fp16>{16, 10, 15, true};
template <>
constexpr BlockLayout layout<bf16>{16, 7, 127, true};
template <>
constexpr BlockLayout layout<fp8_e4m3>{8, 3, 7, false};
template <>
constexpr BlockLayout layout<fp8_e5m2>{8, 2, 15, true};

/// The value of a code without its sign bit.
double value_of(const BlockLayout& l, int code) {
    const int exponent = code >> l.mantissa_bits;
    const int fraction = code - (exponent << l.mantissa_bits);
    const int last_exponent = (l.magnitudes() >> l.mantissa_bits) - 1;
    if (l.has_infinity && exponent == last_exponent) {
        return fraction == 0 ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    if (!l.has_infinity && code == l.magnitudes() - 1) return std::nan("");
    const double one = 1 << l.mantissa_bits;
    return exponent == 0 ? std::ldexp(fraction / one, 1 - l.bias)
                         : std::ldexp(1.0 + fraction / one, exponent - l.bias);
}

template <class T>
T from_code(int code) {
    T value;
    value.bits = static_cast<decltype(value.bits)>(code);
    return value;
}

template <class T>
class NarrowFloat : public testing::Test {};
using Types = testing::Types<bf16, fp16, fp8_e4m3, fp8_e5m2>;
TYPED_TEST_SUITE(NarrowFloat, Types);

TYPED_TEST(NarrowFloat, EveryCodeHasItsValueAndComesBack) {
    const BlockLayout& l = layout<TypeParam>;
    for (int code = 0; code < 2 * l.magnitudes(); ++code) {
        const double magnitude = value_of(l, code % l.magnitudes());
        const auto wide = static_cast<float>(from_code<TypeParam>(code));
        if (std::isnan(magnitude)) {
            EXPECT_TRUE(std::isnan(wide)) << code;
            EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(wide)))) << code;
            continue;
        }
        ASSERT_EQ(std::abs(static_cast<double>(wide)), magnitude) << code;
        ASSERT_EQ(std::signbit(wide), code >= l.magnitudes()) << code;
        ASSERT_EQ(TypeParam(wide).bits, code);
    }
}

/// What `value` between the neighbouring codes `below` and `below` + 1 must round to.
int nearest_even(const BlockLayout& l, double value, int below) {
    // Past the largest number the next code counts as one further step, as IEEE 754 has it.
    const double low = value_of(l, below);
    const double step = low - value_of(l, below - 1);
    const double next = value_of(l, below + 1);
    const double high = std::isfinite(next) ? next : low + step;
    if (value - low == high - value) return below + below % 2;
    return value - low < high - value ? below : below + 1;
}

TYPED_TEST(NarrowFloat, RoundsToTheNearestAndTiesToEven) {
    const BlockLayout& l = layout<TypeParam>;
    const int largest =
        l.has_infinity ? l.magnitudes() - (1 << l.mantissa_bits) - 1 : l.magnitudes() - 2;
    for (int code = 1; code <= largest; ++code) {
        const double low = value_of(l, code);
        const double next = value_of(l, code + 1);
        const double high = std::isfinite(next) ? next : 2.0 * low - value_of(l, code - 1);
        const auto middle = static_cast<float>(low + (high - low) / 2);
        const float above = std::nextafter(middle, std::numeric_limits<float>::infinity());
        for (const float value : {middle, std::nextafter(middle, 0.0F), above}) {
            if (!std::isfinite(value)) continue;  // bf16's last midpoint is FP32's infinity
            int want = nearest_even(l, value, code);
            if (!l.has_infinity) want = std::min(want, largest);
            ASSERT_EQ(TypeParam(value).bits, want) << value;
            ASSERT_EQ(TypeParam(-value).bits, want + l.magnitudes()) << value;
        }
    }
    // Below the smallest number: half of it is a tie with zero, which is even.
    const auto half = static_cast<float>(value_of(l, 1) / 2);
    if (half > 0.0F) {
        EXPECT_EQ(TypeParam(half).bits, 0);
        EXPECT_EQ(TypeParam(std::nextafter(half, 1.0F)).bits, 1);
    }
}

TEST(NarrowFloatRange, TheSaturatingFormatHasNoWayOut) {
    for (const float value : {449.0F, 465.0F, 1e9F, std::numeric_limits<float>::infinity()}) {
        EXPECT_EQ(static_cast<float>(fp8_e4m3(value)), 448.0F);
        EXPECT_EQ(static_cast<float>(fp8_e4m3(-value)), -448.0F);
    }
    EXPECT_EQ(fp8_e4m3(std::nanf("")).bits, 0x7f);
    EXPECT_EQ(static_cast<float>(fp8_e5m2(61439.0F)), 57344.0F);
    EXPECT_TRUE(std::isinf(static_cast<float>(fp8_e5m2(61440.0F))));
    EXPECT_TRUE(std::isinf(static_cast<float>(fp8_e5m2(-1e30F))));
}

template <class T>
void expect_traits() {
    const BlockLayout& l = layout<T>;
    using Traits = element_traits<T>;
    EXPECT_EQ(Traits::unit_roundoff, std::ldexp(1.0, -1 - l.mantissa_bits));
    EXPECT_EQ(Traits::smallest_normal, value_of(l, 1 << l.mantissa_bits));
    const int largest =
        l.has_infinity ? l.magnitudes() - (1 << l.mantissa_bits) - 1 : l.magnitudes() - 2;
    EXPECT_EQ(Traits::largest, value_of(l, largest));
}

TYPED_TEST(NarrowFloat, TraitsAgreeWithTheCodes) {
    expect_traits<TypeParam>();
}

template <class T>
bool same_float(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

// Rows give the bits of one element at a time: for every code, and for words of FP32 at random (all
// exponents, infinities and NaNs among them) and around every rounding boundary.
TYPED_TEST(NarrowFloat, RowsGiveTheBitsOfOneAtATime) {
    const BlockLayout& l = layout<TypeParam>;
    std::vector<TypeParam> codes;
    for (int code = 0; code < 2 * l.magnitudes(); ++code)
        codes.push_back(from_code<TypeParam>(code));
    codes.resize(codes.size() - 3);  // not a whole number of vectors
    std::vector<float> wide(codes.size());
    widen(codes.data(), wide.data(), std::ssize(codes));
    for (std::size_t i = 0; i < codes.size(); ++i) {
        ASSERT_TRUE(same_float<TypeParam>(wide[i], static_cast<float>(codes[i]))) << i;
    }
    const RandomStream random(5, "words");
    for (std::uint64_t i = 0; i < 200000; ++i) {
        wide.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(i))));
        const auto near = static_cast<float>(codes[random.below(codes.size(), i)]);
        const auto word = std::bit_cast<std::uint32_t>(near) + (1U << (22 - l.mantissa_bits));
        wide.push_back(std::bit_cast<float>(word + static_cast<std::uint32_t>(i % 5) - 2));
    }
    std::vector<TypeParam> narrowed(wide.size());
    narrow(wide.data(), narrowed.data(), std::ssize(wide));
    for (std::size_t i = 0; i < wide.size(); ++i) {
        ASSERT_EQ(narrowed[i].bits, TypeParam(wide[i]).bits)
            << std::hex << std::bit_cast<std::uint32_t>(wide[i]);
    }
}

TEST(ElementTypeNames, AllReadBack) {
    for (const char* name :
         {"fp32", "fp64", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "int32", "int64"}) {
        EXPECT_EQ(to_string(parse_element_type(name)), name);
    }
    EXPECT_EQ(parse_element_type("f8e4m3"), ElementType::fp8_e4m3);
    EXPECT_TRUE(is_integer(ElementType::int64));
    EXPECT_FALSE(is_integer(ElementType::fp8_e5m2));
    try {
        parse_element_type("int8");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("fp8_e5m2, int32, int64"), std::string::npos);
    }
}

}  // namespace
}  // namespace shardstone::validation
