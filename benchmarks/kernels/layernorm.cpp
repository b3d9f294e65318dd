// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/layernorm.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "layernorm forward";
constexpr std::int64_t channels = 768;

/// Mean: an add. Variance: subtract, multiply, add. Output: subtract, two multiplies, add.
constexpr double flop_per_element = 8.0;

Workload prepare(std::int64_t rows) {
    const std::int64_t count = rows * channels;
    const auto x = normal_numbers("x", count);
    const auto weight = normal_numbers("weight", channels);
    const auto bias = normal_numbers("bias", channels);
    const auto out = std::make_shared<Buffer<float>>(count);
    const auto saved = std::make_shared<Buffer<float>>(2 * rows);  // mean, then rstd
    const auto elements = static_cast<double>(count);
    return {flop_per_element * elements, 2.0 * 4.0 * elements, [=] {
                layernorm_forward<float>(matrix(x->data(), rows, channels), weight->data(),
                                         bias->data(), matrix(out->data(), rows, channels),
                                         saved->data(), saved->data() + rows);
            }};
}

/// With M = max|x| / sigma and n the normalised value: the mean is off by C u max|x| at most, hence
/// n by C u M directly; the variance, a sum of C squares of such differences, by (C + 4) u + 2 C u
/// M relatively, hence rstd and with it n by half of that; three more roundings and the bias's one.
void expect_row(std::span<const float> x, const float* weight, const float* bias,
                Expectation& expected) {
    const auto size = static_cast<double>(x.size());
    double mean = 0.0;
    double largest = 0.0;
    for (const float value : x) {
        mean += value / size;
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    double variance = 0.0;
    for (const float value : x) variance += (value - mean) * (value - mean) / size;
    const double rstd = 1.0 / std::sqrt(variance + layernorm_epsilon);
    const double ratio = largest * rstd;
    for (std::size_t c = 0; c < x.size(); ++c) {
        const double n = (x[c] - mean) * rstd;
        const double out = n * weight[c] + bias[c];
        const double n_error =
            size * ratio + std::abs(n) * ((size + 4.0) / 2.0 + size * ratio + 3.0);
        expected.add(out, unit_roundoff * (std::abs(weight[c]) * n_error + std::abs(out)));
    }
}

results::Check verify() {
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t columns = 77;
    const auto x = normal_numbers("x", rows * columns);
    const auto weight = normal_numbers("weight", columns);
    const auto bias = normal_numbers("bias", columns);
    Buffer<float> out(rows * columns);
    Buffer<float> saved(2 * rows);
    layernorm_forward<float>(matrix(x->data(), rows, columns), weight->data(), bias->data(),
                             matrix(out.data(), rows, columns), saved.data(), saved.data() + rows);
    Expectation expected;
    for (std::int64_t r = 0; r < rows; ++r) {
        expect_row(std::span(x->data() + r * columns, columns), weight->data(), bias->data(),
                   expected);
    }
    return compare(name, out.span(), expected);
}

const KernelRegistration registration{{name, "rows of 768", {64, 8192}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
