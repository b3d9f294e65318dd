// SPDX-License-Identifier: BSD-3-Clause
// The processor's own vectors, as compilers' extensions write them. What is wider than they are,
// GCC keeps in memory.
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

/// vector_bytes of numbers: + - * / act on each element, a scalar operand on all.
template <class Real>
using Vector = typename detail::VectorOf<Real>::Type;

}  // namespace shardstone
