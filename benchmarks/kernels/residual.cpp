// SPDX-License-Identifier: BSD-3-Clause
// The roofline benchmark of adding a bias and a branch to the residual stream.
#include "kernels/transformer/residual.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t channels = 768;

Workload prepare(std::int64_t rows) {
    const std::int64_t count = rows * channels;
    const auto residual = normal_numbers("residual", count);
    const auto branch = normal_numbers("branch", count);
    const auto bias = normal_numbers("bias", channels);
    const auto out = std::make_shared<Buffer<float>>(count);
    const auto elements = static_cast<double>(count);
    return {plain(2.0) * elements,
            3.0 * 4.0 * elements,
            [=] {
                bias_residual_forward<float>(HostQueue(), matrix(residual->data(), rows, channels),
                                             matrix(branch->data(), rows, channels), bias->data(),
                                             matrix(out->data(), rows, channels));
            },
            {},
            Streams{2, 0, 1}};
}

const KernelRegistration registration{
    kernel_in<float>("bias and residual", "residual", "rows of 768", {64, 8192}, prepare)};

}  // namespace

}  // namespace shardstone::benchmarks
