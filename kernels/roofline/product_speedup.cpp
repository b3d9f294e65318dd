// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "kernels/base/clock.hpp"
#include "kernels/base/convert.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

constexpr std::int64_t size = 512;
constexpr int rounds = 15;

template <class S>
double product_s(const Buffer<S>& factor, Buffer<float>& product) {
    const auto factors = matrix(factor.data(), size, size);
    const double begin_s = now_s();
    gemm<S>(1.0F, factors, factors, 0.0F, matrix(product.data(), size, size));
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
    std::vector<double> wide_s, narrow_s;
    for (int round = 0; round < rounds; ++round) {
        wide_s.push_back(product_s(wide, product));
        narrow_s.push_back(product_s(narrow_factor, product));
    }
    return median(wide_s) / median(narrow_s);
}

template double measured_product_speedup<bf16>();
template double measured_product_speedup<fp16>();

}  // namespace shardstone
