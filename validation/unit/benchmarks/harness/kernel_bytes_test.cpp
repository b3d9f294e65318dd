// SPDX-License-Identifier: BSD-3-Clause
// The bytes that each row of `shardstone kernels` is held against: every operand read once, every
// result written once, counted here from the kernels' headers, number by number.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone::benchmarks {
namespace {

/// Per unit of a kernel's size: bytes of what it reads and writes that grow with it, and bytes
/// that do not.
struct Traffic {
    double per_size = 0.0;
    double fixed = 0.0;
};

constexpr double fp32 = 4.0, narrow = 2.0, fp8 = 1.0;

/// Four tensors of (positions, 12 x 64) forward: q, k, v read, the heads written; eight backward:
/// those and the gradient of the heads read, three gradients written.
constexpr double head_row = 12.0 * 64.0;
/// 3 (rows, 768), 3 (rows, 3072) in the type of the factors, twice the weight, its gradient read
/// and written in FP32.
Traffic linear(double bytes) {
    return {bytes * 3.0 * (768.0 + 3072.0), 768.0 * 3072.0 * (2.0 * bytes + 2.0 * fp32)};
}

std::map<std::string, Traffic> expected_traffic() {
    return {
        {"AdamW", {7.0 * fp32}},  // w, g, m, v read, w, m, v written
        {"attention forward", {4.0 * fp32 * head_row}},
        {"attention forward, bf16", {4.0 * narrow * head_row}},
        {"attention backward", {8.0 * fp32 * head_row}},
        {"attention backward, bf16", {8.0 * narrow * head_row}},
        {"cross-entropy forward", {fp32 * 50257.0}},
        {"cross-entropy forward, bf16", {narrow * 50257.0}},
        {"cross-entropy backward", {2.0 * fp32 * 50257.0}},  // overwritten
        {"cross-entropy backward, bf16", {2.0 * narrow * 50257.0}},
        {"GELU forward", {3.0 * fp32 * 3072.0}},  // the sum with the bias is written, too
        {"GELU forward, bf16", {3.0 * narrow * 3072.0}},
        {"GELU backward", {3.0 * fp32 * 3072.0}},
        {"GELU backward, bf16", {3.0 * narrow * 3072.0}},
        {"FP8 rounding, e4m3", {2.0 * narrow * 3072.0}},
        {"FP8 rounding, e5m2", {2.0 * narrow * 3072.0}},
        {"layernorm forward", {(fp32 + fp32) * 768.0}},
        {"layernorm forward, bf16", {(fp32 + narrow) * 768.0}},
        // x and the gradient read; the gradient of the input read, added to, written.
        {"layernorm backward, x", {4.0 * fp32 * 768.0}},
        {"layernorm backward, x, bf16", {4.0 * fp32 * 768.0}},
        {"layernorm backward, w", {2.0 * fp32 * 768.0}},
        {"linear training, fp32", linear(fp32)},
        {"linear training, bf16", linear(narrow)},
        {"linear training, fp16", linear(narrow)},
        {"linear training, fp8_e4m3", linear(fp8)},
        {"bias and residual", {3.0 * fp32 * 768.0}},
        {"sum of squares", {fp32}},
    };
}

TEST(KernelBytes, AreThoseOfTheOperands) {
    const auto expected = expected_traffic();
    int others = 0;
    for (const KernelBenchmark& kernel : kernel_benchmarks()) {
        const std::int64_t size = kernel.sizes.front();
        const auto count = static_cast<double>(size);
        double bytes = 0.0;
        if (kernel.name.starts_with("matrix product")) {
            const double factor = kernel.name == "matrix product" ? fp32 : narrow;
            bytes = (2.0 * factor + fp32) * count * count;
            ++others;
        } else if (kernel.name.starts_with("reduce, ")) {  // of bytes; added to in place
            bytes = 3.0 * count;
            ++others;
        } else {
            ASSERT_TRUE(expected.contains(kernel.name)) << kernel.name << ": count its bytes here";
            const Traffic& traffic = expected.at(kernel.name);
            bytes = traffic.per_size * count + traffic.fixed;
        }
        EXPECT_EQ(kernel.prepare(size).bytes, bytes) << kernel.name << ", size " << size;
    }
    EXPECT_EQ(kernel_benchmarks().size(), expected.size() + static_cast<std::size_t>(others));
}

}  // namespace
}  // namespace shardstone::benchmarks
