// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/optimizer/learning_rate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "kernels/base/error.hpp"

namespace shardstone {

double LearningRate::at(std::int64_t step) const {
    if (step < warmup_steps) {
        return peak * static_cast<double>(step) / static_cast<double>(warmup_steps);
    }
    if (step >= total_steps) return floor;
    const double progress =
        static_cast<double>(step - warmup_steps) / static_cast<double>(total_steps - warmup_steps);
    return floor + 0.5 * (peak - floor) * (1.0 + std::cos(std::numbers::pi * progress));
}

void LearningRate::validate() const {
    require(std::isfinite(peak) && peak > 0.0 && floor >= 0.0 && floor <= peak, [&] {
        return fmt::format(
            "learning rate {} with floor {}: give a positive rate and a floor "
            "between 0 and it",
            peak, floor);
    });
    require(warmup_steps >= 0 && warmup_steps <= total_steps, [&] {
        return fmt::format("{} warm-up steps do not fit into {} steps: give at most as many",
                           warmup_steps, total_steps);
    });
}

}  // namespace shardstone
