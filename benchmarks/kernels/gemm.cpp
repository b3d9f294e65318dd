// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/gemm.hpp"

#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "matrix product";

Workload prepare(std::int64_t n) {
    const auto a = normal_numbers("a", n * n);
    const auto b = normal_numbers("b", n * n);
    const auto c = std::make_shared<Buffer<float>>(n * n);
    const auto size = static_cast<double>(n);
    return {2.0 * size * size * size, 3.0 * 4.0 * size * size, [=] {
                gemm<float>(1.0F, matrix(a->data(), n, n), matrix(b->data(), n, n), 0.0F,
                            matrix(c->data(), n, n));
            }};
}

/// |error| <= k u sum(|a| |b|).
results::Check verify() {
    constexpr std::int64_t m = 33;
    constexpr std::int64_t k = 31;
    constexpr std::int64_t n = 29;
    const auto a = normal_numbers("a", m * k);
    const auto b = normal_numbers("b", k * n);
    Buffer<float> c(m * n);
    gemm<float>(1.0F, matrix(a->data(), m, k), matrix(b->data(), k, n), 0.0F,
                matrix(c.data(), m, n));
    Expectation expected;
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0.0;
            double magnitude = 0.0;
            for (std::int64_t p = 0; p < k; ++p) {
                const double term = double{a->data()[i * k + p]} * double{b->data()[p * n + j]};
                sum += term;
                magnitude += std::abs(term);
            }
            expected.add(sum, k * unit_roundoff * magnitude);
        }
    }
    return compare(name, c.span(), expected);
}

const KernelRegistration registration{{name, "n of (n, n)", {128, 512, 1024}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
