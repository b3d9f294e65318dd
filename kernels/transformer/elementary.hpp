// SPDX-License-Identifier: BSD-3-Clause
// Functions of one element that the compiler inlines and vectorises; libm's are calls per element.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace shardstone {

/// a * b + c, rounded once where the hardware can; the same in vector bodies and scalar tails.
template <class Real>
inline Real multiply_add(Real a, Real b, Real c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

namespace detail {

template <class Real>
struct ExponentialTraits;
template <>
struct ExponentialTraits<float> {
    using Bits = std::int32_t;
    static constexpr int degree = 7;
    static constexpr int mantissa_bits = 23;
    static constexpr Bits exponent_bias = 127;
    static constexpr float lowest = -87.0F, highest = 88.0F;
    static constexpr float round_to_integer = 0x1.8p23F;
    // ln 2 in two parts; the first has few enough bits that its product with |n| <= 127 is exact.
    static constexpr float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F;
};
template <>
struct ExponentialTraits<double> {
    using Bits = std::int64_t;
    static constexpr int degree = 13;
    static constexpr int mantissa_bits = 52;
    static constexpr Bits exponent_bias = 1023;
    static constexpr double lowest = -708.0, highest = 709.0;
    static constexpr double round_to_integer = 0x1.8p52;
    static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
};

/// 1/K! + r (1/(K+1)! + r (... + r/degree!)), with the first factor given. Unrolled by the compiler
/// front end: a loop here would keep the caller's loop from being vectorised.
template <class Real, int K>
inline Real exponential_series(Real r, double inverse_factorial) {
    const auto coefficient = static_cast<Real>(inverse_factorial);
    if constexpr (K == ExponentialTraits<Real>::degree) {
        return coefficient;
    } else {
        return multiply_add(exponential_series<Real, K + 1>(r, inverse_factorial / (K + 1)), r,
                            coefficient);
    }
}

}  // namespace detail

/// e^x to about 2 units in the last place: x = n ln 2 + r, |r| <= ln(2)/2, Taylor's series for e^r
/// (remainder below a tenth of the unit roundoff), times 2^n. Arguments are clamped to [-87, 88]
/// for float and [-708, 709] for double, so results are finite, positive and normal; NaN stays NaN.
template <class Real>
inline Real exponential(Real x) {
    using Traits = detail::ExponentialTraits<Real>;
    using Bits = typename Traits::Bits;
    x = x < Traits::lowest ? Traits::lowest : x;
    x = x > Traits::highest ? Traits::highest : x;
    // Adding 1.5 * 2^mantissa_bits leaves n, rounded to nearest, in the low bits.
    const Real shifted = multiply_add(x, Real(1.44269504088896340736), Traits::round_to_integer);
    const Real n = shifted - Traits::round_to_integer;
    const Real r = multiply_add(-n, Traits::ln2_low, multiply_add(-n, Traits::ln2_high, x));
    const Real series = detail::exponential_series<Real, 0>(r, 1.0);
    using Unsigned = std::make_unsigned_t<Bits>;
    const auto exponent = static_cast<Unsigned>(std::bit_cast<Bits>(shifted)) +
                          static_cast<Unsigned>(Traits::exponent_bias);
    return series * std::bit_cast<Real>(exponent << Traits::mantissa_bits);
}

}  // namespace shardstone
