// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -ffp-contract=fast (kernels/CMakeLists.txt): here the compiler is to fuse.
#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "kernels/base/clock.hpp"
#include "kernels/base/vector.hpp"
#include "kernels/roofline/roofline.hpp"

namespace shardstone {

namespace {

// Two pipelines of latency 4 or 5 need 8 to 10 independent chains; 12 accumulators and the two
// operands fit into 16 registers.
constexpr int chains = 12;
constexpr std::int64_t rounds = 20000;
constexpr double flop_per_run =
    2.0 * chains * static_cast<double>(rounds) * (vector_bytes / sizeof(float));

/// What the compiler cannot foresee, so that nothing is worked out beforehand or left out.
volatile float factor = 0.9999F;
volatile float sink = 0.0F;

template <class Real>
void run_once() {
    using Vector = shardstone::Vector<Real>;
    const Vector a = Vector{} + Real{factor};
    const Vector b = Vector{} + Real{1.0F - factor};
    std::array<Vector, chains> sums;
    sums.fill(a);
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (Vector& sum : sums) sum = sum * a + b;
    }
    Vector total{};
    for (const Vector& sum : sums) total += sum;
    sink = static_cast<float>(total[0]);
}

// Of two kinds at once, with the constants, in as many registers as there are.
constexpr int mixed_chains = vector_bytes == 64 ? 12 : 6;

template <class Real>
struct WholeNumberOf {
    using Type = std::uint32_t;
};
template <>
struct WholeNumberOf<double> {
    using Type = std::uint64_t;
};

/// What each chain does in a round: a multiply-add, an addition, two operations on whole numbers
/// (one alone would be worked out beforehand).
struct Mixture {
    bool multiply_add, addition, whole_numbers;
    constexpr int operations() const { return multiply_add + addition + 2 * whole_numbers; }
};

template <class Real, Mixture mixture>
void run_mixture() {
    using Vector = shardstone::Vector<Real>;
    using Number = typename WholeNumberOf<Real>::Type;
    using Whole = shardstone::Vector<Number>;
    const Vector a = Vector{} + Real{factor};
    const Vector b = Vector{} + Real{1.0F - factor};
    const auto bits = std::bit_cast<Whole>(a), other_bits = std::bit_cast<Whole>(b);
    std::array<Vector, mixed_chains> fused, added;
    std::array<Whole, mixed_chains> whole;
    fused.fill(a);
    added.fill(b);
    // Each from another start, or one chain would do for all.
    for (std::size_t i = 0; i < mixed_chains; ++i) whole[i] = bits + static_cast<Number>(i);
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (std::size_t i = 0; i < mixed_chains; ++i) {
            if constexpr (mixture.multiply_add) fused[i] = fused[i] * a + b;
            if constexpr (mixture.addition) added[i] = added[i] + b;
            if constexpr (mixture.whole_numbers) whole[i] = (whole[i] ^ bits) + other_bits;
        }
    }
    Vector total{};
    for (std::size_t i = 0; i < mixed_chains; ++i) {
        total += fused[i] + added[i] + std::bit_cast<Vector>(whole[i]);
    }
    sink = static_cast<float>(total[0]);
}

#if defined(__AVX512BF16__)
void run_dot_products() {
    const __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(factor), _mm512_set1_ps(factor));
    __m512 sums[chains];
    std::fill_n(sums, chains, _mm512_set1_ps(factor));
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (__m512& sum : sums) sum = _mm512_dpbf16_ps(sum, a, a);
    }
    __m512 total = _mm512_setzero_ps();
    for (const __m512& sum : sums) total = _mm512_add_ps(total, sum);
    sink = _mm512_cvtss_f32(total);
}
#endif

template <class F>
double best_time_s(const F& run, double enough_s = 0.1) {
    double best_s = enough_s;
    for (const double start_s = now_s(); now_s() - start_s < enough_s;) {
        const double begin_s = now_s();
        run();
        best_s = std::min(best_s, now_s() - begin_s);
    }
    return best_s;
}

template <class Real, Mixture mixture>
double operations_s() {
    constexpr double elements = vector_bytes / sizeof(Real);
    constexpr double per_run =
        mixture.operations() * mixed_chains * static_cast<double>(rounds) * elements;
    return per_run / best_time_s(run_mixture<Real, mixture>, 0.02);
}

}  // namespace

template <class Real>
double measured_operations_s() {
    constexpr double elements = vector_bytes / sizeof(Real);
    constexpr double multiply_adds = chains * static_cast<double>(rounds) * elements;
    return std::max({multiply_adds / best_time_s(run_once<Real>, 0.02),
                     operations_s<Real, Mixture{true, true, false}>(),
                     operations_s<Real, Mixture{true, false, true}>(),
                     operations_s<Real, Mixture{false, true, true}>(),
                     operations_s<Real, Mixture{false, false, true}>()});
}
template double measured_operations_s<float>();
template double measured_operations_s<double>();

double measured_peak_flop_s() {
    return flop_per_run / best_time_s([] { run_once<float>(); });
}

double measured_fp64_peak_flop_s() {
    return 0.5 * flop_per_run / best_time_s([] { run_once<double>(); });
}

std::optional<double> measured_bf16_peak_flop_s() {
#if defined(__AVX512BF16__)
    return 2.0 * flop_per_run / best_time_s([] { run_dot_products(); });
#else
    return std::nullopt;
#endif
}

}  // namespace shardstone
