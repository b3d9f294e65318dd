// SPDX-License-Identifier: BSD-3-Clause
// Numbers whose products are rounded before they are added, as on the host (-ffp-contract=off): of
// formulas over them a kernel has the host's bits.
#pragma once

#include <cmath>

#include "kernels/base/device/language.hpp"

// The intrinsics are never contracted, unlike the operators of float and double.
#if defined(__CUDA_ARCH__)
#define SHARDSTONE_ROUNDED(of_float, of_double, plain) \
    if constexpr (sizeof(Real) == sizeof(float)) {     \
        return of_float;                               \
    } else {                                           \
        return of_double;                              \
    }
#else
#define SHARDSTONE_ROUNDED(of_float, of_double, plain) return plain;
#endif

namespace shardstone::device {

/// Real is float or double, which it is laid out as.
template <class Real>
struct Unfused {
    Real value;

    Unfused() = default;
    __host__ __device__ constexpr Unfused(Real number) : value(number) {}
    __host__ __device__ constexpr explicit operator Real() const { return value; }

    friend __host__ __device__ constexpr bool operator==(Unfused a, Unfused b) {
        return a.value == b.value;
    }

    friend __host__ __device__ Unfused operator+(Unfused a, Unfused b) {
        SHARDSTONE_ROUNDED(__fadd_rn(a.value, b.value), __dadd_rn(a.value, b.value),
                           a.value + b.value)
    }
    friend __host__ __device__ Unfused operator-(Unfused a, Unfused b) {
        SHARDSTONE_ROUNDED(__fsub_rn(a.value, b.value), __dsub_rn(a.value, b.value),
                           a.value - b.value)
    }
    friend __host__ __device__ Unfused operator*(Unfused a, Unfused b) {
        SHARDSTONE_ROUNDED(__fmul_rn(a.value, b.value), __dmul_rn(a.value, b.value),
                           a.value * b.value)
    }
    friend __host__ __device__ Unfused operator/(Unfused a, Unfused b) {
        SHARDSTONE_ROUNDED(__fdiv_rn(a.value, b.value), __ddiv_rn(a.value, b.value),
                           a.value / b.value)
    }
    friend __host__ __device__ Unfused sqrt(Unfused a){
        SHARDSTONE_ROUNDED(__fsqrt_rn(a.value), __dsqrt_rn(a.value),
                           std::sqrt(a.value))} __host__ __device__ Unfused&
    operator-=(Unfused b) {
        return *this = *this - b;
    }
};

}  // namespace shardstone::device

#undef SHARDSTONE_ROUNDED
