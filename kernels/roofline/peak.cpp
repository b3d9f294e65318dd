// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -ffp-contract=fast (kernels/CMakeLists.txt): here the compiler is to fuse.
#include <algorithm>
#include <array>

#include "kernels/base/clock.hpp"
#include "kernels/roofline/roofline.hpp"

namespace shardstone {

namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
typedef float Vector __attribute__((vector_size(vector_bytes)));

// Two pipelines of latency 4 or 5 need 8 to 10 independent chains; 12 accumulators and the two
// operands fit into 16 registers.
constexpr int chains = 12;
constexpr std::int64_t rounds = 20000;
constexpr double flop_per_run =
    2.0 * chains * static_cast<double>(rounds) * (vector_bytes / sizeof(float));

/// What the compiler cannot foresee, so that nothing is worked out beforehand or left out.
volatile float factor = 0.9999F;
volatile float sink = 0.0F;

void run_once() {
    const Vector a = Vector{} + factor;
    const Vector b = Vector{} + (1.0F - factor);
    std::array<Vector, chains> sums;
    sums.fill(a);
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (Vector& sum : sums) sum = sum * a + b;
    }
    Vector total{};
    for (const Vector& sum : sums) total += sum;
    sink = total[0];
}

}  // namespace

double measured_peak_flop_s() {
    constexpr double enough_s = 0.1;
    double best_s = enough_s;
    for (const double start_s = now_s(); now_s() - start_s < enough_s;) {
        const double begin_s = now_s();
        run_once();
        best_s = std::min(best_s, now_s() - begin_s);
    }
    return flop_per_run / best_s;
}

}  // namespace shardstone
