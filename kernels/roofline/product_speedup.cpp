// SPDX-License-Identifier: BSD-3-Clause
// Measures how fast a core multiplies bf16 and fp16 matrices, absolutely and against FP32.
#include <algorithm>
#include <limits>

#include "kernels/base/clock.hpp"
#include "kernels/base/convert.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

constexpr std::int64_t size = 512;
constexpr int rounds = 31;

template <class S>
double product_s(const Buffer<S>& factor, Buffer<float>& product) {
    const auto factors = matrix(factor.data(), size, size);
    const double begin_s = now_s();
    gemm<S>(HostQueue(), 1.0F, factors, factors, 0.0F, matrix(product.data(), size, size));
    return now_s() - begin_s;
}

}  // namespace

template <class S>
double measured_product_speedup() {
    Buffer<float> wide(size * size), product(size * size);
    for (float& number : wide.span()) number = 1.0F;
    Buffer<S> narrow_factor(size * size);
    narrow(wide.data(), narrow_factor.data(), size * size);
    product_s(wide, product);  // what libraries set up at a first call
    product_s(narrow_factor, product);
    double wide_s = std::numeric_limits<double>::max(), narrow_s = wide_s;
    for (int round = 0; round < rounds; ++round) {
        wide_s = std::min(wide_s, product_s(wide, product));
        narrow_s = std::min(narrow_s, product_s(narrow_factor, product));
    }
    return wide_s / narrow_s;
}

template <class S>
double measured_product_flop_s() {
    constexpr std::int64_t n = 1024;
    constexpr int products = 8;  // the first sets up the library
    Buffer<float> wide(n * n), product(n * n);
    for (float& number : wide.span()) number = 1.0F;
    Buffer<S> factor(n * n);
    narrow(wide.data(), factor.data(), n * n);
    const auto factors = matrix(factor.data(), n, n);
    double best_s = std::numeric_limits<double>::max();
    for (int i = 0; i < products; ++i) {
        const double begin_s = now_s();
        gemm<S>(HostQueue(), 1.0F, factors, factors, 0.0F, matrix(product.data(), n, n));
        best_s = std::min(best_s, now_s() - begin_s);
    }
    return 2.0 * static_cast<double>(n * n * n) / best_s;
}

template double measured_product_flop_s<bf16>();
template double measured_product_flop_s<fp16>();
template double measured_product_speedup<bf16>();
template double measured_product_speedup<fp16>();

}  // namespace shardstone
