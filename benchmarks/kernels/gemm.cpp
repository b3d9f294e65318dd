// SPDX-License-Identifier: BSD-3-Clause
// Square matrix products in fp32, bf16 and fp16 against the roofline, libraries and a plain loop.
#include "kernels/gemm/gemm.hpp"

#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "benchmarks/kernels/library_products.hpp"

namespace shardstone::benchmarks {

namespace {

template <class S>
struct Operands {
    std::shared_ptr<Buffer<S>> a, b;
    Operands(std::int64_t a_count, std::int64_t b_count)
        : a(normal_numbers_in<S>("a", a_count)), b(normal_numbers_in<S>("b", b_count)) {}
};

/// C in FP32, as for gradients of weights and the residual stream.
template <class S>
Workload prepare(std::int64_t n) {
    const Operands<S> factors(n * n, n * n);
    const auto c = std::make_shared<Buffer<float>>(n * n);
    const auto size = static_cast<double>(n);
    const double bytes = (2.0 * sizeof(S) + sizeof(float)) * size * size;
    return {products_of<S>(size * size * size), bytes,
            [=] {
                gemm<S>(HostQueue(), 1.0F, matrix(factors.a->data(), n, n),
                        matrix(factors.b->data(), n, n), 0.0F, matrix(c->data(), n, n));
            },
            library_products({{n, n, n}}), Streams{2, 0, 1}};
}

/// |error| <= k u sum(|a| |b|) with the u of FP32, whatever the factors are in.
template <class S>
results::Check verify(const std::string& name) {
    constexpr std::int64_t m = 33;
    constexpr std::int64_t k = 31;
    constexpr std::int64_t n = 29;
    const Operands<S> factors(m * k, k * n);
    const S* a = factors.a->data();
    const S* b = factors.b->data();
    Buffer<float> c(m * n);
    gemm<S>(HostQueue(), 1.0F, matrix(a, m, k), matrix(b, k, n), 0.0F, matrix(c.data(), m, n));
    Expectation expected;
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0.0;
            double magnitude = 0.0;
            for (std::int64_t p = 0; p < k; ++p) {
                const double term = double{static_cast<float>(a[i * k + p])} *
                                    double{static_cast<float>(b[p * n + j])};
                sum += term;
                magnitude += std::abs(term);
            }
            expected.add(sum, k * unit_roundoff * magnitude);
        }
    }
    return compare(name, c.span(), expected);
}

template <class S>
KernelBenchmark product_of(const std::string& name) {
    return {name, "n of (n, n)", {128, 512, 1024}, prepare<S>, [=] { return verify<S>(name); }};
}

const KernelRegistration fp32{product_of<float>("matrix product")};
const KernelRegistration of_bf16{product_of<bf16>("matrix product, bf16")};
const KernelRegistration of_fp16{product_of<fp16>("matrix product, fp16")};

}  // namespace

}  // namespace shardstone::benchmarks
