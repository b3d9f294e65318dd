// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "cross-entropy forward";
constexpr std::int64_t vocabulary = 50257;

std::vector<std::int32_t> some_targets(std::int64_t rows, std::int64_t columns) {
    std::vector<std::int32_t> targets;
    for (std::int64_t r = 0; r < rows; ++r) {
        targets.push_back(static_cast<std::int32_t>((r * 7919) % columns));
    }
    return targets;
}

/// Subtract the maximum, exponential, add.
constexpr double flop_per_element = 3.0;

Workload prepare(std::int64_t rows) {
    const auto logits = normal_numbers("logits", rows * vocabulary);
    const auto sums = std::make_shared<Buffer<float>>(rows);
    const auto elements = static_cast<double>(rows) * vocabulary;
    return {flop_per_element * elements, 4.0 * elements,
            [=, targets = some_targets(rows, vocabulary)] {
                cross_entropy_forward<float>(matrix(logits->data(), rows, vocabulary), targets,
                                             sums->data());
            }};
}

/// Holds the kept log_sum_exp (N) against log(sum(exp(x))). With h the maximum, x - h is rounded
/// once, which the exponential makes a relative error of |x - h| u beside its own 4 u; the sum of V
/// positive terms adds V u; the logarithm makes the whole absolute and rounds; so does adding h.
results::Check verify() {
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t columns = 77;
    const auto logits = normal_numbers("logits", rows * columns);
    Buffer<float> sums(rows);
    cross_entropy_forward<float>(matrix(logits->data(), rows, columns), some_targets(rows, columns),
                                 sums.data());
    Expectation expected;
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::span row(logits->data() + r * columns, columns);
        const double highest = std::ranges::max(row);
        const double lowest = std::ranges::min(row);
        double sum = 0.0;
        for (const float x : row) sum += std::exp(x - highest);
        const double value = highest + std::log(sum);
        const double relative = (highest - lowest) + 4.0 + static_cast<double>(columns);
        expected.add(value, unit_roundoff * (relative + 2.0 * std::log(sum) + std::abs(value)));
    }
    return compare(name, sums.span(), expected);
}

const KernelRegistration registration{{name, "rows of 50257", {4, 256}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
