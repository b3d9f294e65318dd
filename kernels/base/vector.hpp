// SPDX-License-Identifier: BSD-3-Clause
// The processor's vectors, as compiler extensions. GCC keeps wider ones in memory.
#pragma once

namespace shardstone {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

namespace detail {
template <class Real>
struct VectorOf {
    typedef Real Type __attribute__((vector_size(vector_bytes)));
};
}  // namespace detail

/// A vector of vector_bytes: + - * / act elementwise, a scalar operand on all elements.
template <class Real>
using Vector = typename detail::VectorOf<Real>::Type;

}  // namespace shardstone
