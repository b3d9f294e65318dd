// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

/// Elements timed at a time: short against a time slice of the scheduler, so that on a shared core
/// some pieces run undisturbed, and long against the clock.
constexpr std::int64_t piece = std::int64_t{1} << 17;

void triad(double* a, const double* b, const double* c) {
#pragma omp simd
    for (std::int64_t i = 0; i < piece; ++i) a[i] = b[i] + 3.0 * c[i];
}

}  // namespace

double measured_bandwidth_b_s(std::int64_t array_bytes) {
    constexpr auto piece_bytes = piece * static_cast<std::int64_t>(sizeof(double));
    SHARDSTONE_EXPECTS(array_bytes >= piece_bytes);
    const std::int64_t size = array_bytes / piece_bytes * piece;
    Buffer<double> a(size), b(size), c(size);
    double best_s = std::numeric_limits<double>::max();
    for (int pass = 0; pass < 3; ++pass) {
        for (std::int64_t begin = 0; begin < size; begin += piece) {
            const double begin_s = now_s();
            triad(a.data() + begin, b.data() + begin, c.data() + begin);
            best_s = std::min(best_s, now_s() - begin_s);
        }
    }
    return 3.0 * static_cast<double>(piece_bytes) / best_s;
}

}  // namespace shardstone
