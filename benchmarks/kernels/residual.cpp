// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/residual.hpp"

#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "bias and residual forward";
constexpr std::int64_t channels = 768;

Workload prepare(std::int64_t rows) {
    const std::int64_t count = rows * channels;
    const auto residual = normal_numbers("residual", count);
    const auto branch = normal_numbers("branch", count);
    const auto bias = normal_numbers("bias", channels);
    const auto out = std::make_shared<Buffer<float>>(count);
    const auto elements = static_cast<double>(count);
    return {2.0 * elements, 3.0 * 4.0 * elements, [=] {
                bias_residual_forward<float>(matrix(residual->data(), rows, channels),
                                             matrix(branch->data(), rows, channels), bias->data(),
                                             matrix(out->data(), rows, channels));
            }};
}

/// Two additions: |error| <= 2 u (|residual| + |branch| + |bias|).
results::Check verify() {
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t columns = 77;
    const auto residual = normal_numbers("residual", rows * columns);
    const auto branch = normal_numbers("branch", rows * columns);
    const auto bias = normal_numbers("bias", columns);
    Buffer<float> out(rows * columns);
    bias_residual_forward<float>(matrix(residual->data(), rows, columns),
                                 matrix(branch->data(), rows, columns), bias->data(),
                                 matrix(out.data(), rows, columns));
    Expectation expected;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        const double a = residual->data()[i];
        const double b = branch->data()[i];
        const double c = bias->data()[i % columns];
        expected.add(a + b + c, 2.0 * unit_roundoff * (std::abs(a) + std::abs(b) + std::abs(c)));
    }
    return compare(name, out.span(), expected);
}

const KernelRegistration registration{{name, "rows of 768", {64, 8192}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
