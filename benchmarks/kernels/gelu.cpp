// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/gelu.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "bias and gelu forward";
constexpr std::int64_t channels = 3072;

/// add the bias; x^2, x^3, times 0.044715, plus x, times the constant; exponential, plus 1, divide.
constexpr double flop_per_element = 9.0;

Workload prepare(std::int64_t rows) {
    const std::int64_t count = rows * channels;
    const auto pre = normal_numbers("pre", count);
    const auto bias = std::make_shared<Buffer<float>>(channels);  // zero: adding it again is safe
    const auto out = std::make_shared<Buffer<float>>(count);
    const auto elements = static_cast<double>(count);
    return {flop_per_element * elements, 3.0 * 4.0 * elements, [=] {
                bias_gelu_forward<float>(matrix(pre->data(), rows, channels), bias->data(),
                                         matrix(out->data(), rows, channels));
            }};
}

/// gelu(x) = x s, s = 1 / (1 + exp(-2 z)). x carries one rounding of |x| + |bias|, which z at most
/// triples (z is cubic), and z takes six of its own; the exponential turns an error in 2 z into a
/// relative one and adds 4 u; s (1 - s) carries that into s, with two more roundings.
void expect(double pre, double bias, Expectation& expected) {
    const double x = pre + bias;
    const double z = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    const double s = 1.0 / (1.0 + std::exp(-2.0 * z));
    const double x_error = unit_roundoff * std::abs(x);
    const double z_error = (3.0 + 6.0) * unit_roundoff * std::abs(z);
    const double s_error =
        s * (1.0 - s) * (2.0 * z_error + 4.0 * unit_roundoff) + 2.0 * unit_roundoff * s;
    expected.add(x * s, std::abs(x) * (s_error + unit_roundoff * s) + x_error * s);
}

results::Check verify() {
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t columns = 77;
    const auto pre = normal_numbers("pre", rows * columns);
    const auto bias = normal_numbers("bias", columns);
    Expectation expected;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        expect(pre->data()[i], bias->data()[i % columns], expected);
    }
    Buffer<float> out(rows * columns);
    bias_gelu_forward<float>(matrix(pre->data(), rows, columns), bias->data(),
                             matrix(out.data(), rows, columns));
    return compare(name, out.span(), expected);
}

const KernelRegistration registration{{name, "rows of 3072", {16, 2048}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
