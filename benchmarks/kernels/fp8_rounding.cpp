// SPDX-License-Identifier: BSD-3-Clause
// Roofline benchmarks of rounding bf16 matrices to the values of e4m3 and e5m2.
#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "kernels/transformer/fp8_rows.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t channels = 3072;

template <class F>
Workload prepare(std::int64_t rows) {
    const auto from = normal_numbers_in<bf16>("from", rows * channels);
    const auto to = std::make_shared<Buffer<bf16>>(rows * channels);
    const auto elements = static_cast<double>(rows * channels);
    // Two bounds, the largest magnitude, the adder twice; and, without FLOP, the magnitude, the
    // exponent and the shifter, and a shift each way.
    return {(plain(5.0) + Arithmetic{0.0, 6.0}) * elements,
            2.0 * sizeof(bf16) * elements,
            [=] {
                float amax = 0.0F;
                round_to_fp8<F>(HostQueue(), matrix(from->data(), rows, channels), 64.0F,
                                matrix(to->data(), rows, channels), &amax);
            },
            {},
            Streams{1, 0, 1}};
}

/// The oracle rounds activations and weights to e4m3 and, under the same policy, gradients to e5m2.
KernelBenchmark rounding_to(const std::string& format, Workload (*prepare)(std::int64_t)) {
    return {"FP8 rounding, " + format, "rows of 3072", {16, 4096}, prepare, {}, "fp8 rounding",
            ElementType::fp8_e4m3};
}
const KernelRegistration e4m3{rounding_to("e4m3", prepare<fp8_e4m3>)};
const KernelRegistration e5m2{rounding_to("e5m2", prepare<fp8_e5m2>)};

}  // namespace

}  // namespace shardstone::benchmarks
