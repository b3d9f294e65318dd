// SPDX-License-Identifier: BSD-3-Clause
// Roofline benchmarks of bias and GELU on rows of GPT-2's MLP, forward and backward.
#include "kernels/transformer/gelu.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t channels = 3072;

/// x^2, a multiply-add of it, times x; exponential; plus 1, divide.
constexpr Arithmetic gate = plain(2.0) + multiply_adds(1.0) + exponential_arithmetic + plain(2.0);

template <class S>
Workload forward(std::int64_t rows) {
    const std::int64_t count = rows * channels;
    const auto pre = normal_numbers_in<S>("pre", count);
    const auto bias = std::make_shared<Buffer<S>>(channels);  // zero: adding it again is safe
    const auto out = std::make_shared<Buffer<S>>(count);
    const auto elements = static_cast<double>(count);
    // Adds the bias, multiplies by the gate.
    return {(gate + plain(2.0) + narrow_elements<S>(3.0, 2.0)) * elements,
            3.0 * sizeof(S) * elements,
            [=] {
                bias_gelu_forward<S>(HostQueue(), matrix(pre->data(), rows, channels), bias->data(),
                                     matrix(out->data(), rows, channels));
            },
            {},
            Streams{0, 1, 1}};
}

/// At 8 the slope of GELU is 1 in FP32: the gradient stays the same from call to call.
template <class S>
Workload backward(std::int64_t rows) {
    const std::int64_t count = rows * channels;
    const auto pre = std::make_shared<Buffer<S>>(count);
    for (S& x : pre->span()) x = S(8.0F);
    const auto d = normal_numbers_in<S>("d", count);
    const auto elements = static_cast<double>(count);
    // The slope 3, the derivative 6, times d.
    return {(gate + plain(10.0) + narrow_elements<S>(2.0, 1.0)) * elements,
            3.0 * sizeof(S) * elements, [=] {
                gelu_backward<S>(HostQueue(), matrix(pre->data(), rows, channels),
                                 matrix(d->data(), rows, channels));
            }};
}

template <class S>
struct InStorage {
    KernelRegistration of_forward{
        kernel_in<S>("GELU forward", "GELU forward", "rows of 3072", {16, 2048}, forward<S>)};
    KernelRegistration of_backward{
        kernel_in<S>("GELU backward", "GELU backward", "rows of 3072", {16, 2048}, backward<S>)};
};
const InStorage<float> in_fp32;
const InStorage<bf16> in_bf16;

}  // namespace

}  // namespace shardstone::benchmarks
