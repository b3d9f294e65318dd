// SPDX-License-Identifier: BSD-3-Clause
// Functions of one element that the compiler inlines and vectorises, unlike those of libm.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace shardstone {

/// a * b + c, rounded once if the hardware supports it; the same in vector bodies and scalar tails.
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
    static constexpr int mantissa_bits = 23;
    static constexpr Bits exponent_bias = 127;
    static constexpr float lowest = -87.0F, highest = 88.0F;
    static constexpr float round_to_integer = 0x1.8p23F;
    // ln 2 in two parts; the first has few enough bits that its product with |n| <= 127 is exact.
    static constexpr float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F;
    /// Coefficients of the minimax polynomial (relative error) of degree 6 for e^r that begins 1 +
    /// r.
    static constexpr float coefficients[] = {
        1.0F, 1.0F, 0x1.fffffcp-2F, 0x1.555492p-3F, 0x1.5558f2p-5F, 0x1.1239e0p-7F, 0x1.6a2412p-10F,
    };
};
template <>
struct ExponentialTraits<double> {
    using Bits = std::int64_t;
    static constexpr int mantissa_bits = 52;
    static constexpr Bits exponent_bias = 1023;
    static constexpr double lowest = -708.0, highest = 709.0;
    static constexpr double round_to_integer = 0x1.8p52;
    static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    /// Taylor coefficients.
    static constexpr double coefficients[] = {
        1.0,
        1.0,
        1.0 / 2,
        1.0 / 6,
        1.0 / 24,
        1.0 / 120,
        1.0 / 720,
        1.0 / 5040,
        1.0 / 40320,
        1.0 / 362880,
        1.0 / 3628800,
        1.0 / 39916800,
        1.0 / 479001600,
        1.0 / 6227020800,
    };
};

/// Coefficient K and the following ones: cK + r (c(K+1) + r (...)). Unrolled by the compiler's
/// front end: a loop here would keep the caller's loop from being vectorised.
template <class Real, std::size_t K = 0>
inline Real exponential_polynomial(Real r) {
    constexpr auto& coefficients = ExponentialTraits<Real>::coefficients;
    if constexpr (K + 1 == std::size(coefficients)) {
        return coefficients[K];
    } else {
        return multiply_add(exponential_polynomial<Real, K + 1>(r), r, coefficients[K]);
    }
}

}  // namespace detail

/// e^x to about 2 units in the last place, for x in [-87, 88] (float) or [-708, 709] (double),
/// where results are normal numbers; NaN stays NaN. With x = n ln 2 + r, |r| <= ln(2)/2: a
/// polynomial for e^r (with an error below a tenth of the unit roundoff), times 2^n.
template <class Real>
inline Real exponential_in_range(Real x) {
    using Traits = detail::ExponentialTraits<Real>;
    // Adding 1.5 * 2^mantissa_bits leaves n, rounded to nearest, in the low bits.
    const Real shifted = multiply_add(x, Real(1.44269504088896340736), Traits::round_to_integer);
    const Real n = shifted - Traits::round_to_integer;
    const Real r = multiply_add(-n, Traits::ln2_low, multiply_add(-n, Traits::ln2_high, x));
    using Unsigned = std::make_unsigned_t<typename Traits::Bits>;
    const auto exponent = static_cast<Unsigned>(std::bit_cast<typename Traits::Bits>(shifted)) +
                          static_cast<Unsigned>(Traits::exponent_bias);
    return detail::exponential_polynomial(r) *
           std::bit_cast<Real>(exponent << Traits::mantissa_bits);
}

/// e^x for x <= 0, as exponential_in_range(); smaller x are clamped, NaN stays NaN. (Clamping at
/// both ends costs five instructions more, since GCC has no vector minimum that preserves NaNs.)
template <class Real>
inline Real decaying_exponential(Real x) {
    constexpr Real lowest = detail::ExponentialTraits<Real>::lowest;
    return exponential_in_range(x < lowest ? lowest : x);
}

/// e^x for any number x, as exponential_in_range(), clamped to its range. A NaN becomes a number:
/// for callers that multiply the result by a value derived from the same NaN. Of two numbers of the
/// same sign the larger magnitude has the larger word, so that integer minima clamp.
template <class Real>
inline Real clamped_exponential(Real x) {
    using Traits = detail::ExponentialTraits<Real>;
    using Bits = typename Traits::Bits;
    using Unsigned = std::make_unsigned_t<Bits>;
    const Bits below = std::min(std::bit_cast<Bits>(x), std::bit_cast<Bits>(Traits::highest));
    const Unsigned within =
        std::min(static_cast<Unsigned>(below), std::bit_cast<Unsigned>(Traits::lowest));
    return exponential_in_range(std::bit_cast<Real>(within));
}

}  // namespace shardstone
