// SPDX-License-Identifier: BSD-3-Clause
// Roofline benchmarks of the cross-entropy over the vocabulary of GPT-2, forward and backward.
#include "kernels/transformer/cross_entropy.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t vocabulary = 50257;

std::vector<std::int32_t> some_targets(std::int64_t rows) {
    std::vector<std::int32_t> targets;
    for (std::int64_t r = 0; r < rows; ++r) {
        targets.push_back(static_cast<std::int32_t>((r * 7919) % vocabulary));
    }
    return targets;
}

template <class S>
Workload forward(std::int64_t rows) {
    const auto logits = normal_numbers_in<S>("logits", rows * vocabulary);
    const auto sums = std::make_shared<Buffer<float>>(rows);
    const auto elements = static_cast<double>(rows) * vocabulary;
    // Compare for the maximum, subtract it, exponential, add.
    return {(plain(3.0) + exponential_arithmetic + narrow_elements<S>(2.0, 0.0)) * elements,
            sizeof(S) * elements,
            [=, targets = some_targets(rows)] {
                double loss = 0.0;
                cross_entropy_forward<S>(HostQueue(), matrix(logits->data(), rows, vocabulary),
                                         targets, sums->data(), &loss);
            },
            {},
            Streams{1, 0, 0}};
}

/// Overwrites the logits by their gradients, from which the next call makes gradients as if they
/// were logits, which takes as long; below the sums they stay.
template <class S>
Workload backward(std::int64_t rows) {
    const auto logits = normal_numbers_in<S>("logits", rows * vocabulary);
    const auto sums = std::make_shared<Buffer<float>>(rows);
    for (float& sum : sums->span()) sum = 10.0F;
    const auto elements = static_cast<double>(rows) * vocabulary;
    // Subtract the logarithm of the sum, exponential, scale.
    return {(plain(2.0) + exponential_arithmetic + narrow_elements<S>(1.0, 1.0)) * elements,
            2.0 * sizeof(S) * elements,
            [=, targets = some_targets(rows)] {
                cross_entropy_backward<S>(HostQueue(), matrix(logits->data(), rows, vocabulary),
                                          targets, sums->data(), 1.0F);
            },
            {},
            Streams{0, 1, 0}};
}

template <class S>
struct InStorage {
    KernelRegistration of_forward{kernel_in<S>("cross-entropy forward", "cross-entropy",
                                               "rows of 50257", {4, 256}, forward<S>)};
    KernelRegistration of_backward{kernel_in<S>("cross-entropy backward", "cross-entropy",
                                                "rows of 50257", {4, 256}, backward<S>)};
};
const InStorage<float> in_fp32;
const InStorage<bf16> in_bf16;

}  // namespace

}  // namespace shardstone::benchmarks
