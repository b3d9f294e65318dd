// SPDX-License-Identifier: BSD-3-Clause
// Learning rate of each step after warm-up and decay, and how it scales with the batch size.
#include "kernels/optimizer/learning_rate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/base/error.hpp"

namespace shardstone {

namespace {

constexpr std::array<const char*, 2> shape_names{"cosine", "constant"};
constexpr std::array<const char*, 3> scaling_names{"none", "linear", "sqrt"};

/// The enumerator whose number is that of the name.
template <class Enum, std::size_t count>
Enum parse(const std::array<const char*, count>& names, const std::string& name,
           const char* option) {
    const auto found = std::ranges::find(names, name);
    require(found != names.end(), [&] {
        return fmt::format("unknown {} '{}': use {}", option, name, fmt::join(names, " or "));
    });
    return static_cast<Enum>(found - names.begin());
}

}  // namespace

double LearningRate::at(std::int64_t step) const {
    if (step < warmup_steps) {
        return peak * static_cast<double>(step) / static_cast<double>(warmup_steps);
    }
    if (shape == Shape::constant) return peak;
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

LearningRate::Shape parse_rate_shape(const std::string& name) {
    return parse<LearningRate::Shape>(shape_names, name, "shape of the learning rate");
}

std::string to_string(LearningRate::Shape shape) {
    return shape_names[static_cast<std::size_t>(shape)];
}

RateScaling parse_rate_scaling(const std::string& name) {
    return parse<RateScaling>(scaling_names, name, "scaling of the learning rate");
}

std::string to_string(RateScaling scaling) {
    return scaling_names[static_cast<std::size_t>(scaling)];
}

double rate_factor(RateScaling scaling, std::int64_t batch, std::int64_t base_batch) {
    if (scaling == RateScaling::none) return 1.0;
    SHARDSTONE_EXPECTS(batch > 0 && base_batch > 0);
    const double ratio = static_cast<double>(batch) / static_cast<double>(base_batch);
    return scaling == RateScaling::linear ? ratio : std::sqrt(ratio);
}

}  // namespace shardstone
