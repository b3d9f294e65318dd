// SPDX-License-Identifier: BSD-3-Clause
// Seeded inputs for kernels, and the comparison of their results with a plain loop in FP64.
#include "benchmarks/kernels/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/fill_normal.hpp"

namespace shardstone::benchmarks {

std::shared_ptr<Buffer<float>> normal_numbers(const std::string& name, std::int64_t count) {
    constexpr std::uint64_t seed = 2024;
    auto buffer = std::make_shared<Buffer<float>>(count);
    fill_normal(seed, name, 0, 1.0F, buffer->span());
    return buffer;
}

results::Check compare(const std::string& kernel, std::span<const float> got,
                       const Expectation& expected) {
    SHARDSTONE_EXPECTS(got.size() == expected.values.size());
    constexpr double higher_orders = 2.0;
    bool finite = true;
    double worst = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        finite = finite && std::isfinite(got[i]);
        const double error = std::abs(static_cast<double>(got[i]) - expected.values[i]);
        if (error > 0.0) worst = std::max(worst, error / (higher_orders * expected.bounds[i]));
    }
    return {kernel + ": finite and equal to a plain loop", finite && worst <= 1.0,
            fmt::format("{} elements, largest error {:.2g} of its bound{}", got.size(), worst,
                        finite ? "" : ", not all finite")};
}

}  // namespace shardstone::benchmarks
