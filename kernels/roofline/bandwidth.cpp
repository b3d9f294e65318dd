// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

/// Elements updated between two looks at the clock: short against a time slice of the scheduler, so
/// that on a shared core some runs are undisturbed, and long against the clock.
constexpr std::int64_t elements_per_run = std::int64_t{1} << 17;
constexpr int passes = 3;

[[gnu::noipa]] void update(double* a, const double* b, std::int64_t count) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) a[i] += 3.0 * b[i];
}

}  // namespace

double measured_bandwidth_b_s(std::int64_t working_set_bytes) {
    SHARDSTONE_EXPECTS(working_set_bytes >= 4096);
    const auto size = working_set_bytes / static_cast<std::int64_t>(2 * sizeof(double));
    const std::int64_t piece = std::min(size, elements_per_run);
    const std::int64_t repeats = elements_per_run / piece;
    Buffer<double> a(size), b(size);
    double best_s = std::numeric_limits<double>::max();
    for (int pass = 0; pass < passes; ++pass) {
        for (std::int64_t begin = 0; begin + piece <= size; begin += piece) {
            const double begin_s = now_s();
            for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
                update(a.data() + begin, b.data() + begin, piece);
            }
            best_s = std::min(best_s, now_s() - begin_s);
        }
    }
    return 3.0 * sizeof(double) * static_cast<double>(piece * repeats) / best_s;
}

}  // namespace shardstone
