// SPDX-License-Identifier: BSD-3-Clause
// Each value over the median of the others: of two, one may be far more than twice it.
#include "kernels/base/ratios_to_others.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/base/statistics.hpp"

namespace shardstone {

std::vector<double> ratios_to_others(std::span<const double> values) {
    if (values.size() < 2) {
        return std::vector<double>(values.size(), std::numeric_limits<double>::quiet_NaN());
    }
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    // Sorted once for all: in the middle of the others is who is there with one place left out.
    const std::size_t others = sorted.size() - 1;
    std::vector<double> ratios;
    for (const double value : values) {
        const auto own =
            static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
        const auto other = [&](std::size_t place) {
            return sorted[place < own ? place : place + 1];
        };
        ratios.push_back(value / median(std::array{other((others - 1) / 2), other(others / 2)}));
    }
    return ratios;
}

}  // namespace shardstone
