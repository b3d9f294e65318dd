// SPDX-License-Identifier: BSD-3-Clause
// The roofline benchmark of the AdamW update, by its sixteen operations and seven passes of memory.
#include "kernels/optimizer/adamw.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr UpdateFactors clipped{.gradient_scale = 0.5};

/// Scale g (1), decay w (2), m (3), v (4), then square root, multiply, add, divide, multiply and
/// subtract (6).
constexpr Arithmetic per_element = plain(16.0);
/// Reads weight, gradient and both moments, writes all but the gradient.
constexpr double bytes_per_element = 7.0 * 4.0;

Workload prepare(std::int64_t count) {
    const auto weights = normal_numbers("weights", count);
    const auto gradients = normal_numbers("gradients", count);
    const auto first = std::make_shared<Buffer<float>>(count);
    const auto second = std::make_shared<Buffer<float>>(count);
    const auto elements = static_cast<double>(count);
    return {per_element * elements,
            bytes_per_element * elements,
            [=] {
                adamw_update<float>(
                    HostQueue(), AdamwSettings{}, {10, 1e-3, FactorsAt(&clipped)},
                    {weights->span(), gradients->span(), first->span(), second->span()});
            },
            {},
            Streams{1, 3, 0}};
}

const KernelRegistration registration{
    kernel_in<float>("AdamW", "AdamW", "parameters", {16384, 4194304}, prepare)};

}  // namespace

}  // namespace shardstone::benchmarks
