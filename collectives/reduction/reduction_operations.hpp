// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "collectives/reduction/reduction.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

// The elementary operations of all loops that combine two or more vectors. All are bitwise
// commutative (except for the payload of an FP32 or FP64 NaN), so that two ranks that exchange
// vectors agree. All are constexpr, so that kernels on GPUs use the same.

/// Integers wrap around, as two's complement does.
struct Sum {
    template <class T>
    static constexpr T combine(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
        } else {
            return a + b;
        }
    }
};

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// IEEE 754-2019 maximum: a NaN stays one, and +0 is more than -0.
struct Max {
    template <class T>
    static constexpr T combine(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            return a < b ? b : a;
        } else {
            const auto common = std::bit_cast<bits_of<T>>(a) & std::bit_cast<bits_of<T>>(b);
            const T larger = a < b || b != b ? b : a;
            return a == b ? std::bit_cast<T>(common) : larger;
        }
    }
};

/// IEEE 754-2019 minimum: a NaN stays one, and -0 is less than +0.
struct Min {
    template <class T>
    static constexpr T combine(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            return b < a ? b : a;
        } else {
            const auto joined = std::bit_cast<bits_of<T>>(a) | std::bit_cast<bits_of<T>>(b);
            const T smaller = b < a || b != b ? b : a;
            return a == b ? std::bit_cast<T>(joined) : smaller;
        }
    }
};

/// Calls `f(element, operation)` with values of the types that stand for both; an average is a sum
/// until the end.
template <class F>
decltype(auto) dispatch_reduction(ElementType type, Reduction reduction, F&& f) {
    return dispatch(type, [&](auto zero) {
        switch (reduction) {
            case Reduction::sum:
            case Reduction::avg:
                return f(zero, Sum{});
            case Reduction::max:
                return f(zero, Max{});
            case Reduction::min:
                return f(zero, Min{});
        }
        fail("unknown reduction");
    });
}

}  // namespace shardstone::collectives
