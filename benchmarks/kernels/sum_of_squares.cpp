// SPDX-License-Identifier: BSD-3-Clause
// The roofline benchmark of the exact sum of squares behind the gradient norm, with its check.
#include <benchmark/benchmark.h>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "kernels/optimizer/gradient_norm.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "sum of squares";

double sum_of_squares(std::span<const float> values) {
    SquareSum sum;
    sum.add(values);
    return sum.value();
}

Workload prepare(std::int64_t count) {
    const auto values = normal_numbers("values", count);
    const auto elements = static_cast<double>(count);
    // In FP64: widen, square, compare and count; three times add, take off, take off (once less at
    // the end), and add up as integers.
    return {Arithmetic{.flop = 2.0 * elements, .fp64_operations = 15.0 * elements},
            4.0 * elements,
            [=] { benchmark::DoNotOptimize(sum_of_squares(values->span())); },
            {},
            Streams{1, 0, 0}};
}

/// The kernel adds up exactly, so the only rounding that FP32 could show is that of storing the
/// result here: |error| <= u times the sum.
results::Check verify() {
    constexpr std::int64_t count = 10000;
    const auto values = normal_numbers("values", count);
    double sum = 0.0;
    for (const float value : values->span()) sum += double{value} * double{value};
    const auto got = static_cast<float>(sum_of_squares(values->span()));
    Expectation expected;
    expected.add(sum, unit_roundoff * sum);
    return compare(name, std::span(&got, 1), expected);
}

const KernelRegistration registration{{name, "elements", {65536, 8388608}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
