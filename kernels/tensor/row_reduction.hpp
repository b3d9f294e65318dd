// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

namespace shardstone {

/// Number of partial sums accumulated in parallel, so that none waits for the previous addition: 64
/// are four AVX-512 vectors of FP32, one per cycle of an addition's latency.
inline constexpr std::int64_t partial_results = 64;

namespace detail {

/// The partial results combined in pairs. The halves are constants, so that all loops are unrolled.
template <std::int64_t half, class Real, class Combine>
inline Real folded(Real* partial, const Combine& combine) {
    if constexpr (half > 0) {
        for (std::int64_t i = 0; i < half; ++i) {
            partial[i] = combine(partial[i], partial[i + half]);
        }
        return folded<half / 2>(partial, combine);
    }
    return partial[0];
}

/// combine(partial result, f(c)) for all c in [0, n), element c in partial result c mod 64, and
/// these combined in pairs at the end: an order that does not depend on the processor's vectors.
/// Written without `omp simd reduction`, which GCC no longer vectorises after inlining.
template <class Real, class F, class Combine>
inline Real reduced(std::int64_t n, Real start, const F& f, const Combine& combine) {
    Real partial[partial_results];
    for (Real& value : partial) value = start;
    std::int64_t c = 0;
    for (; c + partial_results <= n; c += partial_results) {
        for (std::int64_t i = 0; i < partial_results; ++i) {
            partial[i] = combine(partial[i], f(c + i));
        }
    }
    for (std::int64_t i = 0; c + i < n; ++i) partial[i] = combine(partial[i], f(c + i));
    return folded<partial_results / 2>(partial, combine);
}

}  // namespace detail

/// f(0) + ... + f(n - 1); an element passes through at most n / 64 + 7 additions.
template <class Real, class F>
inline Real sum_of(std::int64_t n, const F& f) {
    return detail::reduced<Real>(n, Real(0), f, [](Real a, Real b) { return a + b; });
}

/// The sums of the first and of the second values of f(c), each as from sum_of(), in one pass over
/// the data that f reads.
template <class Real, class F>
inline std::pair<Real, Real> sums_of(std::int64_t n, const F& f) {
    Real first[partial_results] = {};
    Real second[partial_results] = {};
    const auto add = [&](std::int64_t i, std::int64_t c) {
        const auto [a, b] = f(c);
        first[i] += a;
        second[i] += b;
    };
    std::int64_t c = 0;
    for (; c + partial_results <= n; c += partial_results) {
        for (std::int64_t i = 0; i < partial_results; ++i) add(i, c + i);
    }
    for (std::int64_t i = 0; c + i < n; ++i) add(i, c + i);
    const auto sum = [](Real a, Real b) { return a + b; };
    return {detail::folded<partial_results / 2>(first, sum),
            detail::folded<partial_results / 2>(second, sum)};
}

/// The largest of f(0) ... f(n - 1), -infinity if there are none. May ignore NaNs.
template <class Real, class F>
inline Real maximum_of(std::int64_t n, const F& f) {
    return detail::reduced<Real>(n, -std::numeric_limits<Real>::infinity(), f,
                                 [](Real a, Real b) { return b > a ? b : a; });
}

}  // namespace shardstone
