// SPDX-License-Identifier: BSD-3-Clause
// Products of the emulated cuBLASLt by plain loops, as a matrix unit with FP32 sums computes them.
#include "validation/emulated_device/product.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "validation/emulated_device/clock.hpp"

namespace shardstone::emulated {

namespace {

/// Calls f with a number of the C++ type.
template <class F>
auto with_type(cudaDataType type, F&& f) {
    switch (type) {
        case CUDA_R_16BF:
            return f(bf16{});
        case CUDA_R_16F:
            return f(fp16{});
        case CUDA_R_8F_E4M3:
            return f(fp8_e4m3{});
        case CUDA_R_8F_E5M2:
            return f(fp8_e5m2{});
        default:
            return f(float{});
    }
}

float read(cudaDataType type, const void* from, std::int64_t index) {
    return with_type(type, [&](auto zero) {
        return static_cast<float>(static_cast<const decltype(zero)*>(from)[index]);
    });
}

/// Without the last 13 bits, as a matrix unit reads TF32.
float to_tf32(float value) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000U);
}

/// A factor in FP32: (outer, inner) numbers, of which either those of one `inner` or those of one
/// `outer` are side by side in memory.
struct Gathered {
    std::vector<float> numbers;

    Gathered(cudaDataType type, const void* from, std::int64_t outer, std::int64_t inner,
             std::int64_t leading, bool inner_is_contiguous)
        : numbers(static_cast<std::size_t>(outer * inner)) {
        with_type(type, [&](auto zero) {
            const auto* source = static_cast<const decltype(zero)*>(from);
            float* to = numbers.data();
            for (std::int64_t o = 0; o < outer; ++o) {
                for (std::int64_t i = 0; i < inner; ++i) {
                    *to++ = static_cast<float>(
                        source[inner_is_contiguous ? o * leading + i : i * leading + o]);
                }
            }
        });
    }
};

/// One column of the product: sums over k in order, of all rows at once.
void multiply_column(const Problem& p, const float* a, const float* b, float* sums) {
    std::fill_n(sums, p.m, 0.0F);
    for (std::int64_t k = 0; k < p.k; ++k) {
        const float factor = b[k];
        const float* column = a + k * p.m;
        for (std::int64_t i = 0; i < p.m; ++i) sums[i] += column[i] * factor;
    }
}

}  // namespace

bool is_fp8(cudaDataType type) {
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

std::int64_t size_of(cudaDataType type) {
    return with_type(type, [](auto zero) { return static_cast<std::int64_t>(sizeof zero); });
}

double Problem::duration_s() const {
    const bool is_narrow = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    const double speed = is_fp8(a) ? 8.0 : a != CUDA_R_32F ? 4.0 : is_narrow ? 2.0 : 1.0;
    const double flop = 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
    return std::max(duration_of_other_work_s, duration_per_flop_s / speed * flop);
}

void Product::multiply() const {
    const Problem& p = problem;
    Gathered left(p.a, a, p.k, p.m, p.leading_a, p.transpose_a == CUBLAS_OP_N);
    Gathered right(p.b, b, p.n, p.k, p.leading_b, p.transpose_b == CUBLAS_OP_N);
    if (p.compute == CUBLAS_COMPUTE_32F_FAST_TF32) {
        for (auto* factor : {&left.numbers, &right.numbers}) {
            std::ranges::transform(*factor, factor->begin(), to_tf32);
        }
    }
    if (workspace_bytes > 0) std::memset(workspace, 0xff, workspace_bytes);
    const float scale =
        alpha * (scale_a == nullptr ? 1 : *scale_a) * (scale_b == nullptr ? 1 : *scale_b);
    std::vector<float> sums(static_cast<std::size_t>(p.m));
    for (std::int64_t j = 0; j < p.n; ++j) {
        multiply_column(p, left.numbers.data(), right.numbers.data() + j * p.k, sums.data());
        for (std::int64_t i = 0; i < p.m; ++i) {
            float value = scale * sums[static_cast<std::size_t>(i)];
            if (beta != 0) value += beta * read(p.d, c, j * p.leading_d + i);
            if (bias != nullptr) value += read(static_cast<cudaDataType>(p.bias), bias, i);
            with_type(p.d, [&](auto zero) {
                using Out = decltype(zero);
                static_cast<Out*>(d)[j * p.leading_d + i] = Out(value);
            });
        }
    }
}

}  // namespace shardstone::emulated
